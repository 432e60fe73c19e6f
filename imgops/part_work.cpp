#include "part_work.hpp"

#include <algorithm>

namespace tilewright {

std::vector<Work> work_on_part(const std::string& key, const ImageShape& image, const Extent& part,
                               std::int64_t row_pixels) {
  constexpr double value_bytes = 4;
  const double pixel_values = static_cast<double>(image.format.bytes()) / value_bytes;
  const double values = static_cast<double>(part.pixels()) * pixel_values;
  const bool is_whole = part.width == image.extent.width && row_pixels >= part.width;
  const double row_values = static_cast<double>(std::min(part.width, row_pixels)) * pixel_values;
  const double piece = is_whole ? values : row_values * row_values;  // as it was measured, on square parts
  return {{key, PixelType::f32, is_whole ? 0.0 : 1.0, values, piece}};
}

}  // namespace tilewright
