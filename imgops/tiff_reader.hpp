// TIFF files as a source of pixels.
#pragma once

#include <string>

#include "file_content.hpp"
#include "tilewright/core/raster.hpp"

namespace tilewright {

/// Is it a TIFF or BigTIFF file, of either byte order?
[[nodiscard]] bool is_tiff(ByteSpan beginning);

/// What the header of a TIFF file says.
struct TiffHeader {
  ImageShape shape;
  std::int64_t scratch_bytes = 0;  ///< memory that reading takes besides the raster
  std::string why_no_parts;        ///< empty if parts can be read where they lie
  std::int64_t row_pixels = 0;     ///< of a row that follow each other in the file
};

/// Throws ParameterError if the file is damaged, has several pages, or is of a kind that is not supported.
[[nodiscard]] TiffHeader read_tiff_header(const std::string& path);

/// Reads into target.area(). Throws RuntimeError if the file is truncated, damaged, or no longer of that shape.
void read_tiff(const std::string& path, const MutableView& target);

}  // namespace tilewright
