// How a TIFF file stores its pixels.
#pragma once

#include <string>

#include "tiff_handle.hpp"
#include "tilewright/core/pixel.hpp"

namespace tilewright {

/// Pixels come in chunks: tiles, or strips, which are as wide as the image.
struct TiffLayout {
  ImageShape shape;
  bool has_tiles = false;
  bool has_planes = false;  ///< each channel is stored by itself
  std::int64_t chunk_width = 0;
  std::int64_t chunk_height = 0;

  [[nodiscard]] int channels_in_chunk() const { return has_planes ? 1 : shape.format.channels; }
  /// Of a whole chunk, decoded.
  [[nodiscard]] std::int64_t chunk_bytes() const {
    return chunk_width * chunk_height * channels_in_chunk() * static_cast<std::int64_t>(bytes_of(shape.format.type));
  }
};

/// A tag, or the value that the TIFF specification gives it if it is absent.
[[nodiscard]] std::uint16_t short_tag(TIFF* tiff, std::uint32_t tag);

/// Of the first page. Tells libtiff to decode JPEG to R G B. Throws ParameterError, whose message completes "...: ",
/// for a kind of image that is not supported.
[[nodiscard]] TiffLayout tiff_layout(const TiffHandle& tiff);

}  // namespace tilewright
