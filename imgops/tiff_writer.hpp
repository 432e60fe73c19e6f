// TIFF files as a sink of pixels.
#pragma once

#include <string>

#include "tilewright/core/raster.hpp"

namespace tilewright {

/// BigTIFF where the offsets of plain TIFF, 32 bits, would not do.
[[nodiscard]] bool needs_big_tiff(const ImageShape& image);

/// Memory that writing takes, in bytes: one strip.
[[nodiscard]] std::int64_t tiff_writer_bytes(const ImageShape& image);

/// Writes the area, uncompressed in strips, from where it lies if its rows have no gaps. Throws RuntimeError, whose
/// message completes
/// "...: ".
void write_tiff(const std::string& path, const ConstView& image);

}  // namespace tilewright
