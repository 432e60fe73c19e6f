// Linear diffusion: an image is smoothed a little, again and again, until it hardly changes any more. A loop whose end
// depends on the pixels: each turn is planned and run before the next one is recorded.
#include <tilewright/tilewright.hpp>

#include "program_options.hpp"

namespace tw = tilewright;

namespace {

struct Options {
  std::string input;
  std::string output;
  double sigma = 0.7;
  double tolerance = 1e-3;
  int expected = 20;
  int most = 1000;
};

int run(tw::Session& session, const Options& options) {
  tw::Image image = session.run(tw::convert(session.read(options.input), tw::PixelType::f32));
  int turns = 0;
  double change = 0;
  do {
    const tw::Image next = session.run(tw::gaussian_derivative(image, {.sigma = options.sigma}));
    change = session.value(tw::mean(tw::abs(next - image)), 0, options.tolerance);
    image = next;
    ++turns;
  } while (session.repeat(change > options.tolerance && turns < options.most, options.expected));
  session.write(options.output, image);
  return turns;
}

}  // namespace

int main(int argc, char** argv) {
  tw::Session session(argc, argv);
  Options options;
  CLI::App app("Smooths an image until it hardly changes any more", argv[0]);
  app.add_option("INPUT", options.input, "image file")->required();
  app.add_option("OUTPUT", options.output, "TIFF of floats")->required();
  app.add_option("--sigma", options.sigma, "scale of one turn in pixels (default 0.7)");
  app.add_option("--tolerance", options.tolerance, "ends at a mean absolute change of so much (default 0.001)")
      ->check(tw::at_least_zero());
  app.add_option("--expected", options.expected, "turns that a dry run counts with (default 20)")
      ->check(tw::above_zero());
  app.add_option("--most", options.most, "turns at most (default 1000)")->check(tw::above_zero());
  app.footer("All --tw-* options are understood too: see --tw-help.");
  if (!tw::parse_arguments(app, session.arguments(), session.is_root())) return 0;
  const int turns = run(session, options);
  if (session.is_root()) std::printf("%d turns\n", turns);
  tw::check_printed();
  return 0;
}
