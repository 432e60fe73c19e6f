#include "tilewright/core/pixel.hpp"

#include <fmt/format.h>

namespace tilewright {

std::string_view to_string(PixelType type) {
  switch (type) {
    case PixelType::u8:
      return "u8";
    case PixelType::u16:
      return "u16";
    case PixelType::f32:
      return "f32";
    case PixelType::f64:
      return "f64";
  }
  throw InternalError("to_string: unknown pixel type");
}

PixelType parse_pixel_type(std::string_view text) {
  for (PixelType type : all_pixel_types) {
    if (to_string(type) == text) return type;
  }
  throw ParameterError(fmt::format("'{}' is no pixel type: use u8, u16, f32 or f64", text));
}

PixelType computing_type(PixelType type) {
  return type == PixelType::f64 ? PixelType::f64 : PixelType::f32;
}

std::string to_string(const ImageShape& shape) {
  const std::string channels = shape.format.channels == 1 ? "" : fmt::format(" x{}", shape.format.channels);
  return fmt::format("{} {}{}", to_string(shape.extent), to_string(shape.format.type), channels);
}

}  // namespace tilewright
