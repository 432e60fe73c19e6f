// What operators without a neighbourhood have in common: they go over the rows in blocks.
#pragma once

#include "row_values.hpp"
#include "tilewright/pipeline/bands.hpp"
#include "tilewright/pipeline/operator.hpp"

namespace tilewright {

/// So many values at a time: converted inputs of two images stay in the nearest cache.
inline constexpr std::int64_t block_values = 2048;

/// Calls block(x, y, values) for every block of the area; x counts pixels and a block holds whole ones.
template <class Block>
void for_each_block(const Rect& area, int channels, int threads, const Block& block) {
  const std::int64_t width = block_values / channels;
  for_each_band(area, threads, [&](const Rect& band) {
    for (std::int64_t y = band.y0; y < band.y1; ++y) {
      for (std::int64_t x = band.x0; x < band.x1; x += width) block(x, y, std::min(width, band.x1 - x) * channels);
    }
  });
}

/// Calls value(x, y, channel) for every value of the area: how references go about it.
template <class Value>
void for_each_value(const Rect& area, int channels, const Value& value) {
  for (std::int64_t y = area.y0; y < area.y1; ++y) {
    for (std::int64_t x = area.x0; x < area.x1; ++x) {
      for (int channel = 0; channel < channels; ++channel) value(x, y, channel);
    }
  }
}

/// One value of a view, as T.
template <class T>
[[nodiscard]] T value_at(const ConstView& view, std::int64_t x, std::int64_t y, int channel) {
  return with_type(view.format().type, [&](auto tag) {
    using Stored = typename decltype(tag)::type;
    return static_cast<T>(view.at<Stored>(x, y)[channel]);
  });
}

/// Calls action(tag of the type, number of channels as a constant): loops with a constant stride are vectorised.
template <class Action>
void with_format(const PixelFormat& format, const Action& action) {
  with_type(format.type, [&](auto tag) {
    switch (format.channels) {
      case 1:
        return action(tag, std::integral_constant<int, 1>{});
      case 2:
        return action(tag, std::integral_constant<int, 2>{});
      case 3:
        return action(tag, std::integral_constant<int, 3>{});
      case 4:
        return action(tag, std::integral_constant<int, 4>{});
      default:
        throw InternalError("with_format: more channels than images have");
    }
  });
}

/// Working memory of a thread, per converted input.
[[nodiscard]] inline std::int64_t block_bytes(PixelType type) {
  return block_values * static_cast<std::int64_t>(bytes_of(type));
}

/// f64 if one of them is, else f32.
[[nodiscard]] inline PixelType common_computing_type(PixelType a, PixelType b) {
  const bool is_double = a == PixelType::f64 || b == PixelType::f64;
  return is_double ? PixelType::f64 : PixelType::f32;
}

/// Values of a tile, channels counted.
[[nodiscard]] inline double values_of(const ImageShape& image, const Extent& tile) {
  return static_cast<double>(tile.pixels() * image.format.channels);
}

}  // namespace tilewright
