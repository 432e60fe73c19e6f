#include "pixel_pattern.hpp"

#include <algorithm>
#include <cstring>

namespace tilewright::simulation {
namespace {

/// Well mixed, so that pixels of neighbouring rows, columns and tiles differ. Larger pixels repeat it.
std::uint64_t pattern_at(std::int64_t x, std::int64_t y) {
  std::uint64_t mixed = static_cast<std::uint64_t>(x) * 0x9E3779B97F4A7C15U + static_cast<std::uint64_t>(y);
  mixed = (mixed ^ (mixed >> 31U)) * 0xBF58476D1CE4E5B9U;
  return mixed ^ (mixed >> 29U);
}

/// Calls `visit(data, bytes, pattern, x, y)` for every part, of eight bytes at most, of the pixels of `area`, until it
/// returns false.
template <class View, class Visit>
void for_each_part(const View& view, const Rect& area, Visit visit) {
  const std::size_t pixel = view.format().bytes();
  for (std::int64_t y = area.y0; y < area.y1; ++y) {
    for (std::int64_t x = area.x0; x < area.x1; ++x) {
      const std::uint64_t pattern = pattern_at(x, y);
      for (std::size_t at = 0; at < pixel; at += sizeof(pattern)) {
        if (!visit(view.bytes_at(x, y) + at, std::min(sizeof(pattern), pixel - at), pattern, x, y)) return;
      }
    }
  }
}

void fill(const MutableView& view, const Rect& area, std::uint64_t flipped) {
  for_each_part(view, area, [=](std::byte* data, std::size_t bytes, std::uint64_t pattern, auto...) {
    pattern ^= flipped;
    std::memcpy(data, &pattern, bytes);
    return true;
  });
}

}  // namespace

void fill_pattern(const MutableView& view, const Rect& area) {
  fill(view, area, 0);
}

void fill_wrong(const MutableView& view) {
  fill(view, view.stored(), ~std::uint64_t{0});
}

std::optional<std::string> find_wrong(const ConstView& view, const Rect& area) {
  std::optional<std::string> wrong;
  for_each_part(view, area,
                [&](const std::byte* data, std::size_t bytes, std::uint64_t pattern, std::int64_t x, std::int64_t y) {
                  if (std::memcmp(data, &pattern, bytes) != 0) wrong = to_string(Rect{x, y, x + 1, y + 1});
                  return !wrong;
                });
  return wrong;
}

}  // namespace tilewright::simulation
