#include "kernel_sides.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "tilewright/core/error.hpp"
#include "tilewright/imgops/arithmetic.hpp"
#include "tilewright/imgops/convolution.hpp"
#include "tilewright/imgops/files.hpp"
#include "tilewright/imgops/fusion.hpp"

namespace tilewright::performance {

Filters five_derivatives(double sigma) {
  return {sigma, {{1, 0}, {0, 1}, {2, 0}, {1, 1}, {0, 2}}};
}

ImageShape square(std::int64_t size, const PixelFormat& format) {
  return {{size, size}, format};
}

Raster test_pixels(const ImageShape& shape) {
  Raster raster(shape);
  with_type(shape.format.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    std::uint32_t noise = 1;
    const std::int64_t values = shape.extent.width * shape.format.channels;
    for (std::int64_t y = 0; y < shape.extent.height; ++y) {
      T* row = raster.at<T>(0, y);
      for (std::int64_t i = 0; i < values; ++i) {
        noise = noise * 1664525U + 1013904223U;
        row[i] = static_cast<T>(((i / 37) ^ (y / 53)) % 8 * 24 + (noise >> 28));
      }
    }
  });
  return raster;
}

Raster touched(const ImageShape& shape) {
  Raster raster(shape);
  std::memset(raster.view().bytes_at(0, 0), 0, static_cast<std::size_t>(raster.bytes()));
  return raster;
}

OutputRequest keep(const Image& image) {
  return {OutputKind::keep, image, nullptr, nullptr};
}

Image input_image(const ImageShape& shape) {
  return Image(assumed_file("benchmark", shape));
}

Pipeline derivatives(const ImageShape& shape, const Filters& filters) {
  const Image in = input_image(shape);
  std::vector<OutputRequest> outputs;
  for (const Orders& orders : filters.orders) {
    outputs.push_back(
        keep(gaussian_derivative(in, {.sigma = filters.sigma, .order_x = orders.x, .order_y = orders.y})));
  }
  return fused(record(outputs));
}

Image ten_operators(const Image& image) {
  const Image magnitude = abs((image * 1.01 + 0.5) * 0.97 - 20.0);
  return max(sqrt(magnitude) * 3.0 + 1.0, 2.0) * 0.75;
}

Image gradient(const Image& image) {
  const auto along = [&](const std::array<double, 9>& values) {
    return convolve(image, {3, 3, {values.begin(), values.end()}});
  };
  const Image x = along(gradient_kernels[0]);
  const Image y = along(gradient_kernels[1]);
  return sqrt(x * x + y * y);
}

int depth_of(PixelType type) {
  return with_type(type, [](auto tag) -> int { return cv::DataType<typename decltype(tag)::type>::depth; });
}

cv::Mat mat_of(Raster& raster) {
  const ImageShape shape = raster.shape();
  const int type = CV_MAKETYPE(depth_of(shape.format.type), shape.format.channels);
  return cv::Mat(static_cast<int>(shape.extent.height), static_cast<int>(shape.extent.width), type,
                 raster.view().bytes_at(0, 0));
}

void check_alike(Raster& ours, const cv::Mat& theirs, const std::string& what) {
  constexpr double tolerance = 1e-4;  // of the largest magnitude
  const cv::Mat found = mat_of(ours);
  const double difference = cv::norm(found, theirs, cv::NORM_INF);
  const double largest = cv::norm(theirs, cv::NORM_INF);
  if (cv::checkRange(found) && difference <= tolerance * largest) return;
  throw RuntimeError(
      fmt::format("{} is not OpenCV's: they differ by {:g}, where the largest is {:g}", what, difference, largest));
}

void check_alike(OurSide& ours, OpenCvSide& theirs, const ImageShape& shape, const Filters& filters) {
  ours.run();
  theirs.run();
  for (std::size_t i = 0; i < filters.orders.size(); ++i) {
    check_alike(ours.output(i), theirs.output(i),
                fmt::format("derivative {}{} of {} at sigma {}", filters.orders[i].x, filters.orders[i].y,
                            to_string(shape), filters.sigma));
  }
}

void check_chain(int threads) {
  const ImageShape shape{{1500, 70}, {}};
  const Raster pixels = test_pixels(shape);
  const Pipeline recorded = record({keep(ten_operators(input_image(shape)))});
  OurSide at_once(fused(recorded), pixels, threads);
  OurSide one_by_one(recorded, pixels, threads);
  at_once.run();
  one_by_one.run();
  if (!same_pixels(at_once.output(0).view(), one_by_one.output(0).view())) {
    throw RuntimeError("a chain of ten operators makes other pixels when it is fused");
  }
}

}  // namespace tilewright::performance
