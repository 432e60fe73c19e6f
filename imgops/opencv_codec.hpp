// Decoding and encoding by OpenCV, in the channel order R G B (A).
#pragma once

#include <optional>
#include <string>

#include "file_content.hpp"
#include "tilewright/core/raster.hpp"

namespace tilewright {

/// Decodes into target.area(). Empty if that worked, else the reason why not.
[[nodiscard]] std::string decode_into(const Bytes& content, const MutableView& target);

/// Decodes only to learn the shape. None if OpenCV cannot decode it, or if its values are of another type.
[[nodiscard]] std::optional<ImageShape> decoded_shape(const Bytes& content);

/// The area as a file of the format that `extension` (".png") stands for. Throws RuntimeError.
[[nodiscard]] Bytes encode(const ConstView& image, const std::string& extension);

}  // namespace tilewright
