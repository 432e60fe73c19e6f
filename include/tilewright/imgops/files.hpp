// Images in files and in memory, as sources and sinks of a pipeline. Channels are in the order R G B (A) in memory.
#pragma once

#include <memory>
#include <string>

#include "tilewright/pipeline/operator.hpp"

namespace tilewright {

/// An image file: TIFF (u8, u16, f32, f64, 1 to 4 channels, strips or tiles, any compression that libtiff has), or
/// anything that OpenCV decodes (PNG, JPEG, PNM, BMP, ...). The kind is told by the content, not by the name. Only the
/// header is read here, save for rarer formats than TIFF, PNG, JPEG and binary PNM, which are decoded to learn the
/// shape. Orientation tags are ignored.
///
/// An uncompressed TIFF file whose values have the byte order of this machine can be read in parts: that of one file is
/// what all ranks see under the path.
///
/// Cost: "read_tiff", "read_png", "read_jpeg", "read_other", and of parts "read_part". Not collective.
/// Throws ParameterError if the file is missing, is no image, has several pages, or a pixel format outside the above;
/// RuntimeError if it cannot be read. load() throws RuntimeError if the file is truncated or damaged, or has changed.
[[nodiscard]] std::shared_ptr<const Source> image_file(const std::string& path);

/// What image_file() would return for a file of that shape; a TIFF file is taken to be one that can be read in parts.
/// For ranks other than the root, and for dry runs where the file is absent: load() throws RuntimeError.
[[nodiscard]] std::shared_ptr<const Source> assumed_file(const std::string& path, const ImageShape& shape);

/// Pixels that the program has: the raster's area, whose coordinates must begin at (0, 0); ParameterError otherwise.
/// Cost: "copy".
[[nodiscard]] std::shared_ptr<const Source> image_in_memory(Raster pixels, std::string name);

/// A file to be written. The format follows from the name: .tif .tiff (all types, 1 to 4 channels, not compressed),
/// .png (u8, u16, 1, 3 or 4 channels), .jpg .jpeg (u8, 1 or 3 channels), .bmp (u8, 1 or 3), .pgm (u8, u16, 1),
/// .ppm (u8, u16, 3), .pnm (u8, u16, 1 or 3). Written aside in the same folder, then renamed; an existing file is
/// replaced at once or not at all. A TIFF file can be written in parts: then it has a name, .tilewright-*.part, while
/// it is made.
///
/// Cost: "write_tiff", "write_png", "write_jpeg", "write_other", and of parts "write_part".
/// Throws ParameterError for another extension.
[[nodiscard]] std::shared_ptr<const Sink> image_file_sink(const std::string& path);

}  // namespace tilewright
