// PNG files, encoded by several threads.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "tilewright/core/raster.hpp"

namespace tilewright {

/// How many threads can share the encoding of such an image.
[[nodiscard]] int png_writer_threads(const ImageShape& image, int threads);

/// Memory that encoding takes with so many threads, in bytes.
[[nodiscard]] std::int64_t png_writer_bytes(const ImageShape& image, int threads);

/// Bytes that were written once, without being cleared first.
struct FilePart {
  std::unique_ptr<std::byte[]> data;
  std::size_t size = 0;
  [[nodiscard]] std::span<const std::byte> bytes() const { return {data.get(), size}; }
};

/// The area, of 8 or 16 bits and 1, 3 or 4 channels, as a file in parts that follow each other. The bytes do not depend
/// on the number of threads.
[[nodiscard]] std::vector<FilePart> encode_png(const ConstView& image, int threads);

}  // namespace tilewright
