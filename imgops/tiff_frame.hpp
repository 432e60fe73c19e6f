// A TIFF file without its pixels, which others write.
#pragma once

#include <string>

#include "file_pieces.hpp"
#include "tilewright/core/raster.hpp"

namespace tilewright {

/// Writes into an empty file all that TiffWriter would, but leaves a hole where it would write pixels. Returns where
/// these begin: rows follow each other from there on without gaps. What it throws completes "...: ".
[[nodiscard]] std::int64_t write_tiff_frame(const std::string& path, const ImageShape& image);

/// Writes a part of the image into the hole, which begins at `pixels_begin`. What it throws completes "...: ".
void write_tiff_part(const std::string& path, std::int64_t pixels_begin, const ImageShape& image,
                     const ConstView& part);

/// The same into a file that is open; it is closed then.
void write_tiff_part(FilePieces& pieces, std::int64_t pixels_begin, const ImageShape& image, const ConstView& part);

}  // namespace tilewright
