// Extents, rectangles and halos in pixels. All ranges are half-open.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace tilewright {

/// Size of an image or tile in pixels.
struct Extent {
  std::int64_t width = 0;
  std::int64_t height = 0;

  [[nodiscard]] std::int64_t pixels() const { return width * height; }
  auto operator<=>(const Extent&) const = default;
};

/// Pixels beyond a tile on each of its sides (the paper's scratch border).
struct Halo {
  std::int64_t x = 0;
  std::int64_t y = 0;

  [[nodiscard]] bool empty() const { return x == 0 && y == 0; }
  [[nodiscard]] bool covers(const Halo& other) const { return x >= other.x && y >= other.y; }
  auto operator<=>(const Halo&) const = default;
};

/// The smallest halo that covers both.
[[nodiscard]] Halo united(const Halo& a, const Halo& b);

/// Half-open rectangle [x0, x1) x [y0, y1) in image coordinates; a halo may reach outside the image.
struct Rect {
  std::int64_t x0 = 0;
  std::int64_t y0 = 0;
  std::int64_t x1 = 0;
  std::int64_t y1 = 0;

  [[nodiscard]] std::int64_t width() const { return x1 - x0; }
  [[nodiscard]] std::int64_t height() const { return y1 - y0; }
  [[nodiscard]] std::int64_t pixels() const { return empty() ? 0 : width() * height(); }
  [[nodiscard]] bool empty() const { return x1 <= x0 || y1 <= y0; }
  [[nodiscard]] bool contains(const Rect& other) const {
    return other.x0 >= x0 && other.x1 <= x1 && other.y0 >= y0 && other.y1 <= y1;
  }
  auto operator<=>(const Rect&) const = default;
};

[[nodiscard]] Rect rect_of(const Extent& extent);
[[nodiscard]] Rect padded(const Rect& rect, const Halo& halo);
[[nodiscard]] Rect shifted(const Rect& rect, std::int64_t dx, std::int64_t dy);
[[nodiscard]] Rect intersection(const Rect& a, const Rect& b);
[[nodiscard]] Rect bounding(const Rect& a, const Rect& b);

/// "512x256".
[[nodiscard]] std::string to_string(const Extent& extent);
/// "[x0,x1)x[y0,y1)".
[[nodiscard]] std::string to_string(const Rect& rect);
/// Throws ParameterError for an image so large that its bytes, with a border, could not be counted.
void check_size(const Extent& extent);
/// Reads "512x256"; throws ParameterError when the text is anything else, a side is less than 1, or the size too large.
[[nodiscard]] Extent parse_extent(std::string_view text);

}  // namespace tilewright
