#include "tilewright/core/geometry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "tilewright/core/error.hpp"

namespace tilewright {

Halo united(const Halo& a, const Halo& b) {
  return {std::max(a.x, b.x), std::max(a.y, b.y)};
}

Rect rect_of(const Extent& extent) {
  return {0, 0, extent.width, extent.height};
}

Rect padded(const Rect& rect, const Halo& halo) {
  return {rect.x0 - halo.x, rect.y0 - halo.y, rect.x1 + halo.x, rect.y1 + halo.y};
}

Rect shifted(const Rect& rect, std::int64_t dx, std::int64_t dy) {
  return {rect.x0 + dx, rect.y0 + dy, rect.x1 + dx, rect.y1 + dy};
}

Rect intersection(const Rect& a, const Rect& b) {
  return {std::max(a.x0, b.x0), std::max(a.y0, b.y0), std::min(a.x1, b.x1), std::min(a.y1, b.y1)};
}

Rect bounding(const Rect& a, const Rect& b) {
  return {std::min(a.x0, b.x0), std::min(a.y0, b.y0), std::max(a.x1, b.x1), std::max(a.y1, b.y1)};
}

std::string to_string(const Extent& extent) {
  return fmt::format("{}x{}", extent.width, extent.height);
}

std::string to_string(const Rect& rect) {
  return fmt::format("[{},{})x[{},{})", rect.x0, rect.x1, rect.y0, rect.y1);
}

void check_size(const Extent& extent) {
  constexpr std::int64_t longest_side = std::int64_t{1} << 32;
  constexpr std::int64_t most_pixels = std::int64_t{1} << 48;
  if (extent.width <= longest_side && extent.height <= longest_side && extent.height <= most_pixels / extent.width)
    return;
  throw ParameterError(fmt::format("an image of {} pixels: {} a side, and {} in all, are the most", to_string(extent),
                                   longest_side, most_pixels));
}

Extent parse_extent(std::string_view text) {
  Extent extent;
  const char* end = text.data() + text.size();
  auto [after_width, width_error] = std::from_chars(text.data(), end, extent.width);
  const bool has_separator = width_error == std::errc() && after_width != end && *after_width == 'x';
  if (has_separator) {
    auto [after_height, height_error] = std::from_chars(after_width + 1, end, extent.height);
    if (height_error == std::errc() && after_height == end && extent.width > 0 && extent.height > 0) {
      check_size(extent);
      return extent;
    }
  }
  throw ParameterError(fmt::format("'{}' is no image size: write WIDTHxHEIGHT, for example 512x512", text));
}

}  // namespace tilewright
