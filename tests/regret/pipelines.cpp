#include "pipelines.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <numbers>
#include <utility>

#include "tilewright/core/error.hpp"
#include "tilewright/imgops/arithmetic.hpp"
#include "tilewright/imgops/convolution.hpp"
#include "tilewright/imgops/files.hpp"
#include "tilewright/imgops/fusion.hpp"
#include "tilewright/imgops/gaussian.hpp"
#include "tilewright/imgops/reductions.hpp"

namespace tilewright::regret {
namespace {

constexpr std::array<std::pair<Kind, std::string_view>, 16> names{{
    {Kind::one_derivative, "one-derivative"},
    {Kind::five_derivatives, "five-derivatives"},
    {Kind::gradient_threshold, "gradient-threshold"},
    {Kind::chain, "chain"},
    {Kind::bank, "bank"},
    {Kind::iterations, "iterations"},
    {Kind::small_chain, "small-chain"},
    {Kind::wide_and_tall, "wide-and-tall"},
    {Kind::template_bank, "template-bank"},
    {Kind::template_pictures, "template-pictures"},
    {Kind::template_search, "template-search"},
    {Kind::fetched_templates, "fetched-templates"},
    {Kind::fetched_derivatives, "fetched-derivatives"},
    {Kind::derivatives_of_templates, "derivatives-of-templates"},
    {Kind::stack, "stack"},
    {Kind::template_chain, "template-chain"},
}};

OutputRequest keep(const Image& image) {
  return {OutputKind::keep, image, nullptr, nullptr};
}

Image derivative(const Image& in, double sigma, int order_x, int order_y) {
  return gaussian_derivative(in, {.sigma = sigma, .order_x = order_x, .order_y = order_y});
}

std::vector<OutputRequest> five_derivatives(const Image& in, double sigma) {
  return {keep(derivative(in, sigma, 1, 0)), keep(derivative(in, sigma, 0, 1)), keep(derivative(in, sigma, 2, 0)),
          keep(derivative(in, sigma, 1, 1)), keep(derivative(in, sigma, 0, 2))};
}

std::vector<OutputRequest> for_all(std::vector<OutputRequest> outputs) {
  for (OutputRequest& output : outputs) output.kind = OutputKind::fetch;
  return outputs;
}

std::vector<OutputRequest> gradient_threshold(const Image& in, double sigma, double level) {
  const Image lx = derivative(in, sigma, 1, 0);
  const Image ly = derivative(in, sigma, 0, 1);
  const Image edges = threshold(sqrt(lx * lx + ly * ly), {.level = level, .below = 0, .above = 1});
  const Reduction total = sum(edges);
  return {keep(edges), {OutputKind::reduce, total.image, nullptr, total.method}};
}

Image chain(Image image, const std::vector<double>& sigmas) {
  for (const double sigma : sigmas) image = gaussian_derivative(image, {.sigma = sigma});
  return image;
}

/// The second derivative in direction (cos a, sin a) is a combination of those along the axes.
Image bank(const Image& in, const std::vector<double>& sigmas, int angles) {
  std::vector<Image> strongest;  // none or one: the maximum so far
  for (const double sigma : sigmas) {
    const Image lxx = derivative(in, sigma, 2, 0);
    const Image lxy = derivative(in, sigma, 1, 1);
    const Image lyy = derivative(in, sigma, 0, 2);
    for (int i = 0; i < angles; ++i) {
      const double angle = std::numbers::pi * i / angles;
      const double c = std::cos(angle), s = std::sin(angle);
      const Image oriented = lxx * (c * c) + lxy * (2 * c * s) + lyy * (s * s);
      if (strongest.empty())
        strongest.push_back(oriented);
      else
        strongest.front() = max(strongest.front(), oriented);
    }
  }
  return strongest.front();
}

Image wide_and_tall(Image image, const std::vector<double>& sigmas) {
  for (const double sigma : sigmas) image = convolve_separable(image, gaussian_kernel(sigma, 0), {1});
  for (const double sigma : sigmas) image = convolve_separable(image, {1}, gaussian_kernel(sigma, 0));
  return image;
}

/// A wave in direction (cos a, sin a) under a Gaussian.
Kernel template_of(double sigma, double angle) {
  const int reach = static_cast<int>(std::ceil(2 * sigma));
  Kernel kernel{2 * reach + 1, 2 * reach + 1, {}};
  for (int y = -reach; y <= reach; ++y) {
    for (int x = -reach; x <= reach; ++x) {
      const double phase = std::numbers::pi * (x * std::cos(angle) + y * std::sin(angle)) / sigma;
      kernel.values.push_back(std::exp(-(x * x + y * y) / (2 * sigma * sigma)) * std::cos(phase));
    }
  }
  return kernel;
}

Image template_bank(const Image& in, const std::vector<double>& sigmas, int angles) {
  std::vector<Image> best;  // none or one: the maximum so far
  for (const double sigma : sigmas) {
    for (int i = 0; i < angles; ++i) {
      const Image response = convolve(in, template_of(sigma, std::numbers::pi * i / angles));
      if (best.empty())
        best.push_back(response);
      else
        best.front() = max(best.front(), response);
    }
  }
  return best.front();
}

std::vector<OutputRequest> template_pictures(const Image& in, const std::vector<double>& sigmas, int angles) {
  std::vector<OutputRequest> outputs;
  for (const double sigma : sigmas) outputs.push_back(keep(convert(template_bank(in, {sigma}, angles), PixelType::u8)));
  return outputs;
}

std::vector<OutputRequest> template_search(const Image& in, const std::vector<double>& sigmas, int angles) {
  return {keep(template_bank(in, sigmas, angles)), {OutputKind::fetch, in, nullptr, nullptr}};
}

std::vector<OutputRequest> derivatives_of_templates(const Image& in, std::vector<double> sigmas, int angles) {
  const double last = sigmas.back();
  sigmas.pop_back();
  return five_derivatives(template_bank(in, sigmas, angles), last);
}

Image stack(const Image& in, double sigma, int passes) {
  std::vector<Image> levels{in};
  for (int i = 0; i < passes; ++i) levels.push_back(gaussian_derivative(levels.back(), {.sigma = sigma}));
  Image strongest = levels.back();
  for (auto level = levels.rbegin() + 1; level != levels.rend(); ++level) strongest = max(strongest, *level);
  return strongest;
}

/// The values keep their size.
std::vector<OutputRequest> template_chain(Image image, double sigma, int passes) {
  Kernel kernel = template_of(sigma, 0);
  const int reach = kernel.width / 2;
  double sum = 0;
  for (std::size_t i = 0; i < kernel.values.size(); ++i) {
    const int x = static_cast<int>(i) % kernel.width - reach;
    const int y = static_cast<int>(i) / kernel.width - reach;
    kernel.values[i] = std::exp(-(x * x + y * y) / (2 * sigma * sigma)) * (1 + 0.01 * x * y / (reach * reach));
    sum += kernel.values[i];
  }
  for (double& value : kernel.values) value /= sum;
  for (int i = 0; i < passes; ++i) image = convolve(image, kernel);
  const Reduction total = tilewright::sum(image);
  return {{OutputKind::reduce, total.image, nullptr, total.method}};
}

Image iterations(Image image, int passes) {
  const std::vector<double> kernel{0.25, 0.5, 0.25};
  for (int i = 0; i < passes; ++i) image = convolve_separable(image, kernel, kernel);
  return image;
}

}  // namespace

std::vector<double> scales_of_small_chain(const PipelineChoice& choice) {
  return std::vector<double>(static_cast<std::size_t>(choice.passes), choice.sigmas.front());
}

namespace {

std::vector<OutputRequest> outputs_of(const PipelineChoice& choice, const Image& in) {
  switch (choice.kind) {
    case Kind::one_derivative:
      return {keep(derivative(in, choice.sigmas.front(), 1, 0))};
    case Kind::five_derivatives:
      return five_derivatives(in, choice.sigmas.front());
    case Kind::gradient_threshold:
      return gradient_threshold(in, choice.sigmas.front(), choice.level);
    case Kind::chain:
      return {keep(chain(in, choice.sigmas))};
    case Kind::bank:
      return {keep(bank(in, choice.sigmas, choice.angles))};
    case Kind::iterations:
      return {keep(iterations(in, choice.passes))};
    case Kind::small_chain:
      return {keep(chain(in, scales_of_small_chain(choice)))};
    case Kind::wide_and_tall:
      return {keep(wide_and_tall(in, choice.sigmas))};
    case Kind::template_bank:
      return {keep(template_bank(in, choice.sigmas, choice.angles))};
    case Kind::template_pictures:
      return template_pictures(in, choice.sigmas, choice.angles);
    case Kind::template_search:
      return template_search(in, choice.sigmas, choice.angles);
    case Kind::fetched_templates:
      return {{OutputKind::fetch, template_bank(in, choice.sigmas, choice.angles), nullptr, nullptr}};
    case Kind::fetched_derivatives:
      return for_all(five_derivatives(in, choice.sigmas.front()));
    case Kind::derivatives_of_templates:
      return derivatives_of_templates(in, choice.sigmas, choice.angles);
    case Kind::stack:
      return {keep(stack(in, choice.sigmas.front(), choice.passes))};
    case Kind::template_chain:
      return template_chain(in, choice.sigmas.front(), choice.passes);
  }
  throw InternalError("unknown pipeline");
}

std::string image_path(const std::string& folder) {
  return (std::filesystem::path(folder) / "image.tif").string();
}

/// What would stay with the root.
std::vector<OutputRequest> written_to(const std::string& folder, std::vector<OutputRequest> outputs) {
  int number = 0;
  for (OutputRequest& output : outputs) {
    if (output.kind != OutputKind::keep) continue;
    const bool is_picture = output.image.shape().format.type == PixelType::u8;
    const std::string name = fmt::format("{}.{}", ++number, is_picture ? "png" : "tif");
    output.kind = OutputKind::write;
    output.sink = image_file_sink((std::filesystem::path(folder) / name).string());
  }
  return outputs;
}

}  // namespace

std::string_view to_string(Kind kind) {
  for (const auto& [known, name] : names) {
    if (known == kind) return name;
  }
  throw InternalError("unknown pipeline");
}

Kind parse_kind(std::string_view text) {
  for (const auto& [kind, name] : names) {
    if (name == text) return kind;
  }
  throw ParameterError(fmt::format("'{}' is no pipeline of the proving ground", text));
}

Raster test_pixels(const Extent& extent) {
  Raster raster(ImageShape{extent, {PixelType::f32, 1}});
  std::uint32_t noise = 1;
  for (std::int64_t y = 0; y < extent.height; ++y) {
    float* row = raster.at<float>(0, y);
    for (std::int64_t x = 0; x < extent.width; ++x) {
      noise = noise * 1664525U + 1013904223U;
      const auto blocks = static_cast<float>(((x / 37) ^ (y / 53)) % 8) * 24.0F;
      const auto ramp = static_cast<float>((x + 2 * y) % 257) * 0.2F;
      row[x] = blocks + ramp + static_cast<float>(noise >> 28);
    }
  }
  return raster;
}

void write_test_image(const std::string& folder, const Extent& extent) {
  image_file_sink(image_path(folder))->store(test_pixels(extent).view());
}

Pipeline record_choice(const PipelineChoice& choice, const Extent& extent) {
  if (choice.folder.empty()) {
    return fused(record(outputs_of(choice, Image(image_in_memory(test_pixels(extent), "test image")))));
  }
  const std::string path = image_path(choice.folder);
  const ImageShape shape{extent, {PixelType::f32, 1}};
  const auto source = std::filesystem::exists(path) ? image_file(path) : assumed_file(path, shape);
  return fused(record(written_to(choice.folder, outputs_of(choice, Image(source)))));
}

}  // namespace tilewright::regret
