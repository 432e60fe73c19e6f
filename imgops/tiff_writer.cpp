#include "tiff_writer.hpp"

#include <fcntl.h>

#include <algorithm>

#include "tilewright/core/error.hpp"

namespace tilewright {
namespace {

std::int64_t row_bytes(const ImageShape& image) {
  return image.extent.width * static_cast<std::int64_t>(image.format.bytes());
}

/// Room on the disk, all at once: that takes less than room for one strip after the other. A wish: where it cannot be
/// had, writing says why.
void reserve(TIFF* tiff, const ImageShape& image) {
  (void)::fallocate(TIFFFileno(tiff), FALLOC_FL_KEEP_SIZE, 0, image.bytes());
}

}  // namespace

std::int64_t rows_per_tiff_strip(const ImageShape& image) {
  constexpr std::int64_t strip_bytes = 256 * 1024;
  return std::clamp<std::int64_t>(strip_bytes / std::max<std::int64_t>(1, row_bytes(image)), 1, image.extent.height);
}

void set_tiff_tags(TIFF* tiff, const ImageShape& image) {
  const int channels = image.format.channels;
  const bool is_float = image.format.type == PixelType::f32 || image.format.type == PixelType::f64;
  TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, static_cast<std::uint32_t>(image.extent.width));
  TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, static_cast<std::uint32_t>(image.extent.height));
  TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, channels);
  TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, static_cast<int>(8 * bytes_of(image.format.type)));
  TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT, is_float ? SAMPLEFORMAT_IEEEFP : SAMPLEFORMAT_UINT);
  TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, channels >= 3 ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK);
  TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
  TIFFSetField(tiff, TIFFTAG_COMPRESSION, COMPRESSION_NONE);
  TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, static_cast<std::uint32_t>(rows_per_tiff_strip(image)));
  if (channels % 2 == 0) {  // gray or colours, and one more
    const std::uint16_t meaning = channels == 4 ? EXTRASAMPLE_UNASSALPHA : EXTRASAMPLE_UNSPECIFIED;
    TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, 1, &meaning);
  }
}

bool needs_big_tiff(const ImageShape& image) {
  constexpr std::int64_t most = 0xFFFFFFFF - 16 * 1024 * 1024;  // with room for the tables of strips
  return image.bytes() > most;
}

std::int64_t tiff_writer_bytes(const ImageShape& image) {
  return rows_per_tiff_strip(image) * row_bytes(image);
}

TiffWriter::TiffWriter(const std::string& path, const ImageShape& image)
    : image_(image), tiff_(path, needs_big_tiff(image) ? "w8" : "w") {
  if (!tiff_.is_open()) fail();
  set_tiff_tags(tiff_.get(), image);
  reserve(tiff_.get(), image);
}

void TiffWriter::put(const ConstView& rows) {
  const Rect area = rows.area();
  const bool has_gaps = rows.row_bytes() != row_bytes(image_);
  for (std::int64_t y = area.y0; y < area.y1;) {
    const std::int64_t missing = rows_of_next_strip() - collected_rows_;
    const std::int64_t taken = std::min(missing, area.y1 - y);
    const Rect part{area.x0, y, area.x1, y + taken};
    if (!has_gaps && taken == rows_of_next_strip()) {
      write_strip(rows.bytes_at(part.x0, part.y0));
    } else {
      collected_.resize(static_cast<std::size_t>(tiff_writer_bytes(image_)));
      std::byte* const below = collected_.data() + collected_rows_ * row_bytes(image_);
      copy_pixels(rows, MutableView(below, part, part, image_.format), part);
      collected_rows_ += taken;
      if (taken == missing) write_strip(collected_.data());
    }
    y += taken;
  }
}

std::int64_t TiffWriter::rows_of_next_strip() const {
  const std::int64_t rows = rows_per_tiff_strip(image_);
  return std::min(rows, image_.extent.height - next_strip_ * rows);
}

/// libtiff takes a pointer to writable memory, but changes it only to swap bytes, which the native order spares.
void TiffWriter::write_strip(const std::byte* pixels) {
  const auto bytes = static_cast<tmsize_t>(row_bytes(image_) * rows_of_next_strip());
  if (TIFFWriteEncodedStrip(tiff_.get(), next_strip_, const_cast<std::byte*>(pixels), bytes) != bytes) fail();
  ++next_strip_;
  collected_rows_ = 0;
}

void TiffWriter::finish() {
  if (rows_of_next_strip() > 0) throw InternalError("a TIFF file is finished before all of its rows have come");
  if (TIFFFlush(tiff_.get()) != 1) fail();
  tiff_.close();
  if (!tiff_.error().empty()) fail();
}

void TiffWriter::fail() const {
  throw RuntimeError(tiff_.error().empty() ? std::string("libtiff cannot write it") : tiff_.error());
}

}  // namespace tilewright
