// TIFF files as a sink of pixels.
#pragma once

#include <string>
#include <vector>

#include "tiff_handle.hpp"
#include "tilewright/pipeline/operator.hpp"

namespace tilewright {

/// BigTIFF where the offsets of plain TIFF, 32 bits, would not do.
[[nodiscard]] bool needs_big_tiff(const ImageShape& image);

/// Memory that writing takes, in bytes: one strip.
[[nodiscard]] std::int64_t tiff_writer_bytes(const ImageShape& image);

/// So many rows come in one strip.
[[nodiscard]] std::int64_t rows_per_tiff_strip(const ImageShape& image);

/// All that the file says of the image besides its pixels.
void set_tiff_tags(TIFF* tiff, const ImageShape& image);

/// Writes rows uncompressed in strips, from where they lie if they have no gaps. What it throws completes "...: ".
class TiffWriter final : public ImageWriter {
 public:
  TiffWriter(const std::string& path, const ImageShape& image);

  void put(const ConstView& rows) override;
  void finish() override;

 private:
  [[nodiscard]] std::int64_t rows_of_next_strip() const;
  void write_strip(const std::byte* pixels);
  [[noreturn]] void fail() const;

  ImageShape image_;
  TiffHandle tiff_;
  std::uint32_t next_strip_ = 0;
  std::int64_t collected_rows_ = 0;  ///< of the next strip
  std::vector<std::byte> collected_;
};

}  // namespace tilewright
