// Pixels for the tests of image operators, and the ways to compute with them.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "tilewright/imgops/files.hpp"
#include "tilewright/imgops/simd.hpp"
#include "tilewright/pipeline/image.hpp"

namespace tilewright::test {

/// What no pixel should come from: it spreads if a kernel reads it.
inline void poison(Raster& raster) {
  const Rect stored = raster.stored();
  const int channels = raster.format().channels;
  with_type(raster.format().type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T value = std::numeric_limits<T>::has_quiet_NaN ? std::numeric_limits<T>::quiet_NaN() : T{211};
    T* first = raster.at<T>(stored.x0, stored.y0);
    std::fill_n(first, stored.pixels() * channels, value);
  });
}

/// Whole numbers over the type's range for integers, about [-100, 100] for floating point; the same for the same seed.
inline Raster random_raster(const Extent& extent, PixelFormat format, unsigned seed) {
  Raster raster(ImageShape{extent, format});
  std::mt19937 random(seed);
  with_type(format.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* values = raster.at<T>(0, 0);
    for (std::int64_t i = 0; i < extent.pixels() * format.channels; ++i) {
      const double unit = static_cast<double>(random()) / 4294967296.0;
      if constexpr (std::is_floating_point_v<T>) {
        values[i] = static_cast<T>(200 * unit - 100);
      } else {
        values[i] = static_cast<T>(unit * (std::numeric_limits<T>::max() + 1.0));
      }
    }
  });
  return raster;
}

/// An image that has these pixels.
inline Image image_of(const Raster& raster, const std::string& name = "pixels") {
  return Image(image_in_memory(raster.copy(), name));
}

/// The pixels of the inputs of an image's operator, which must be sources.
inline std::vector<Raster> inputs_of(const Image& image) {
  std::vector<Raster> inputs;
  for (const auto& input : image.node()->inputs) inputs.push_back(input->source->load({}));
  return inputs;
}

inline std::vector<ConstView> views_of(const std::vector<Raster>& rasters) {
  std::vector<ConstView> views;
  for (const Raster& raster : rasters) views.push_back(raster.view());
  return views;
}

/// The oracle's answer.
inline Raster referenced(const Image& image) {
  Raster output(image.shape());
  const std::vector<Raster> inputs = inputs_of(image);
  image.node()->op->reference(views_of(inputs), output.view());
  return output;
}

/// Every vector level that this processor has.
inline std::vector<SimdLevel> simd_levels() {
  std::vector<SimdLevel> levels;
  for (const SimdLevel level : all_simd_levels) {
    if (level <= best_simd_level()) levels.push_back(level);
  }
  return levels;
}

/// Selects a vector level for a scope.
class WithSimdLevel {
 public:
  explicit WithSimdLevel(SimdLevel level) { select_simd_level(level); }
  ~WithSimdLevel() { select_simd_level(best_simd_level()); }
  WithSimdLevel(const WithSimdLevel&) = delete;
  WithSimdLevel& operator=(const WithSimdLevel&) = delete;
};

}  // namespace tilewright::test
