// Pixel types and formats: what one pixel is made of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include "tilewright/core/error.hpp"
#include "tilewright/core/geometry.hpp"

namespace tilewright {

enum class PixelType : std::uint8_t { u8, u16, f32, f64 };

inline constexpr PixelType all_pixel_types[] = {PixelType::u8, PixelType::u16, PixelType::f32, PixelType::f64};
inline constexpr int max_channels = 4;

/// Bytes of one value (one channel of one pixel). Inline, for kernels ask it for every row.
[[nodiscard]] constexpr std::size_t bytes_of(PixelType type) {
  constexpr std::size_t bytes[] = {1, 2, 4, 8};
  return bytes[static_cast<std::size_t>(type)];
}
[[nodiscard]] std::string_view to_string(PixelType type);
/// Reads "u8", "u16", "f32" or "f64"; throws ParameterError otherwise.
[[nodiscard]] PixelType parse_pixel_type(std::string_view text);

/// Filters and arithmetic compute u8, u16 and f32 in f32, and f64 in f64; this is that type.
[[nodiscard]] PixelType computing_type(PixelType type);

/// Type and number of channels (1 to 4, interleaved) of an image.
struct PixelFormat {
  PixelType type = PixelType::f32;
  int channels = 1;

  [[nodiscard]] std::size_t bytes() const { return bytes_of(type) * static_cast<std::size_t>(channels); }
  bool operator==(const PixelFormat&) const = default;
};

/// Everything that is known of an image before its pixels are.
struct ImageShape {
  Extent extent;
  PixelFormat format;

  [[nodiscard]] std::int64_t bytes() const { return extent.pixels() * static_cast<std::int64_t>(format.bytes()); }
  bool operator==(const ImageShape&) const = default;
};

/// "512x512 f32" or "512x512 u8 x3".
[[nodiscard]] std::string to_string(const ImageShape& shape);

template <class T>
struct TypeTag {
  using type = T;
};

/// Calls `function` with the TypeTag of the C++ type of `type` and returns what it returns.
template <class Function>
decltype(auto) with_type(PixelType type, Function&& function) {
  switch (type) {
    case PixelType::u8:
      return function(TypeTag<std::uint8_t>{});
    case PixelType::u16:
      return function(TypeTag<std::uint16_t>{});
    case PixelType::f32:
      return function(TypeTag<float>{});
    case PixelType::f64:
      return function(TypeTag<double>{});
  }
  throw InternalError("with_type: unknown pixel type");
}

/// The PixelType of a C++ type.
template <class T>
inline constexpr PixelType pixel_type_of = std::is_same_v<T, std::uint8_t>    ? PixelType::u8
                                           : std::is_same_v<T, std::uint16_t> ? PixelType::u16
                                           : std::is_same_v<T, float>         ? PixelType::f32
                                                                              : PixelType::f64;

}  // namespace tilewright
