// The differential structure of an image up to second order (P-3PC, section 4): the five Gaussian derivatives as 32-bit
// float TIFF, and the gradient magnitude as a picture.
#include <cmath>
#include <filesystem>
#include <numbers>
#include <tilewright/tilewright.hpp>

#include "program_options.hpp"
#include "tilewright/core/border.hpp"
#include "tilewright/core/error.hpp"

namespace tw = tilewright;

namespace {

struct Options {
  std::string input;
  std::string folder;
  double sigma = 1;
  double truncation = 0;
  double gain = 4;
  std::string border = "reflect101";
};

/// The value that stands for white.
double full_scale(tw::PixelType type) {
  if (type == tw::PixelType::u8) return 255;
  if (type == tw::PixelType::u16) return 65535;
  return 1;
}

/// A step edge from black to white has the gradient full_scale / (sigma * sqrt(2 pi)) at scale sigma. Times `gain`,
/// that becomes 255; what exceeds it saturates. So the picture does not depend on the scale, nor on the other pixels.
tw::Image picture(const tw::Image& magnitude, const Options& options, tw::PixelType input) {
  const double edge = full_scale(input) / (options.sigma * std::sqrt(2 * std::numbers::pi));
  return tw::convert(magnitude, tw::PixelType::u8, {.scale = options.gain * 255 / edge});
}

void run(tw::Session& session, const Options& options) {
  if (!(std::isfinite(options.gain) && options.gain > 0)) {
    throw tw::ParameterError("--gain " + std::to_string(options.gain) + ": give a number above 0");
  }
  const tw::Image input = session.read(options.input);
  const auto derivative = [&](int order_x, int order_y) {
    return tw::gaussian_derivative(input, {.sigma = options.sigma,
                                           .order_x = order_x,
                                           .order_y = order_y,
                                           .truncation = options.truncation,
                                           .border = tw::parse_border(options.border)});
  };
  const tw::Image lx = derivative(1, 0);
  const tw::Image ly = derivative(0, 1);
  const tw::Image magnitude = tw::sqrt(lx * lx + ly * ly);

  session.create_folder(options.folder);
  const auto file = [&](const char* name) { return (std::filesystem::path(options.folder) / name).string(); };
  session.write({{file("Lx.tif"), lx},
                 {file("Ly.tif"), ly},
                 {file("gradient_magnitude.png"), picture(magnitude, options, input.type())},
                 {file("Lxx.tif"), derivative(2, 0)},
                 {file("Lxy.tif"), derivative(1, 1)},
                 {file("Lyy.tif"), derivative(0, 2)}});
}

}  // namespace

int main(int argc, char** argv) {
  tw::Session session(argc, argv);
  Options options;
  CLI::App app("The five Gaussian derivatives up to second order, and the gradient magnitude, of an image", argv[0]);
  app.add_option("INPUT", options.input, "image file")->required();
  app.add_option("OUTDIR", options.folder, "folder for Lx.tif Ly.tif Lxx.tif Lxy.tif Lyy.tif gradient_magnitude.png")
      ->required();
  app.add_option("--sigma", options.sigma, "scale in pixels")->required();
  app.add_option("--truncation", options.truncation, "kernel radius in sigmas (default: the paper's kernel sizes)");
  app.add_option("--border", options.border, "constant, replicate, reflect, reflect101 (default) or wrap");
  app.add_option("--gain", options.gain,
                 "brightness of the picture: a full-contrast edge becomes 255 * gain (default 4)");
  app.footer("All --tw-* options are understood too: see --tw-help.");
  if (!tw::parse_arguments(app, session.arguments(), session.is_root())) return 0;
  run(session, options);
  return 0;
}
