#include "tiff_writer.hpp"

#include <algorithm>

#include "tiff_handle.hpp"
#include "tilewright/core/error.hpp"

namespace tilewright {
namespace {

std::int64_t row_bytes(const ImageShape& image) {
  return image.extent.width * static_cast<std::int64_t>(image.format.bytes());
}

std::int64_t rows_per_strip(const ImageShape& image) {
  constexpr std::int64_t strip_bytes = 256 * 1024;
  return std::clamp<std::int64_t>(strip_bytes / std::max<std::int64_t>(1, row_bytes(image)), 1, image.extent.height);
}

void set_tags(TIFF* tiff, const ImageShape& image) {
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
  TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, static_cast<std::uint32_t>(rows_per_strip(image)));
  if (channels % 2 == 0) {  // gray or colours, and one more
    const std::uint16_t meaning = channels == 4 ? EXTRASAMPLE_UNASSALPHA : EXTRASAMPLE_UNSPECIFIED;
    TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, 1, &meaning);
  }
}

}  // namespace

bool needs_big_tiff(const ImageShape& image) {
  constexpr std::int64_t most = 0xFFFFFFFF - 16 * 1024 * 1024;  // with room for the tables of strips
  return image.bytes() > most;
}

std::int64_t tiff_writer_bytes(const ImageShape& image) {
  return rows_per_strip(image) * row_bytes(image);
}

void write_tiff(const std::string& path, const ConstView& view) {
  const Rect area = view.area();
  const ImageShape image{{area.width(), area.height()}, view.format()};
  TiffHandle tiff(path, needs_big_tiff(image) ? "w8" : "w");
  bool written = tiff.is_open();
  if (written) set_tags(tiff.get(), image);
  for (std::int64_t y = area.y0; written && y < area.y1; ++y) {
    // libtiff takes a pointer to writable memory, but changes it only to swap bytes, which the native order spares.
    void* row = const_cast<std::byte*>(view.bytes_at(area.x0, y));
    written = TIFFWriteScanline(tiff.get(), row, static_cast<std::uint32_t>(y - area.y0), 0) == 1;
  }
  written = written && TIFFFlush(tiff.get()) == 1;
  tiff.close();
  if (!written || !tiff.error().empty()) {
    throw RuntimeError(tiff.error().empty() ? std::string("libtiff cannot write it") : tiff.error());
  }
}

}  // namespace tilewright
