// Parts of an uncompressed TIFF file, read from where they lie in it.
#pragma once

#include <string>

#include "tiff_layout.hpp"
#include "tilewright/core/raster.hpp"

namespace tilewright {

/// Why its pixels cannot be read where they lie in the file; empty if they can.
[[nodiscard]] std::string why_no_tiff_parts(const TiffHandle& tiff, const TiffLayout& layout, std::int64_t file_bytes);

/// Reads `area` into memory that stores it. Throws RuntimeError if the file is truncated, or no longer an image of that
/// shape whose pixels lie in it as they are in memory.
void read_tiff_part(const std::string& path, const ImageShape& shape, const Rect& area, const MutableView& target);

}  // namespace tilewright
