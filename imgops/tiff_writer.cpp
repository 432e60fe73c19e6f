#include "tiff_writer.hpp"

#include <fcntl.h>

#include <algorithm>
#include <vector>

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

/// Room on the disk, all at once: that takes less than room for one strip after the other. A wish: where it cannot be
/// had, writing says why.
void reserve(TIFF* tiff, const ImageShape& image) {
  (void)::fallocate(TIFFFileno(tiff), FALLOC_FL_KEEP_SIZE, 0, image.bytes());
}

/// Strips of rows without gaps, which libtiff writes from where they lie.
class StripWriter {
 public:
  StripWriter(TIFF* tiff, const ConstView& view) : tiff_(tiff), view_(view) {
    if (!has_whole_rows()) buffer_.resize(static_cast<std::size_t>(tiff_writer_bytes(shape())));
  }

  [[nodiscard]] bool write() {
    const std::int64_t rows = rows_per_strip(shape());
    const Rect area = view_.area();
    for (std::int64_t y = area.y0; y < area.y1; y += rows) {
      const Rect strip{area.x0, y, area.x1, std::min(y + rows, area.y1)};
      const auto bytes = static_cast<tmsize_t>(row_bytes(shape()) * strip.height());
      const auto index = static_cast<std::uint32_t>((y - area.y0) / rows);
      if (TIFFWriteEncodedStrip(tiff_, index, pixels_of(strip), bytes) != bytes) return false;
    }
    return true;
  }

 private:
  [[nodiscard]] ImageShape shape() const { return {{view_.area().width(), view_.area().height()}, view_.format()}; }
  [[nodiscard]] bool has_whole_rows() const { return view_.area().width() == view_.stored().width(); }

  /// libtiff takes a pointer to writable memory, but changes it only to swap bytes, which the native order spares.
  [[nodiscard]] void* pixels_of(const Rect& strip) {
    if (has_whole_rows()) return const_cast<std::byte*>(view_.bytes_at(strip.x0, strip.y0));
    copy_pixels(view_, MutableView(buffer_.data(), strip, strip, view_.format()), strip);
    return buffer_.data();
  }

  TIFF* tiff_;
  ConstView view_;
  std::vector<std::byte> buffer_;
};

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
  if (written) {
    set_tags(tiff.get(), image);
    reserve(tiff.get(), image);
    written = StripWriter(tiff.get(), view).write();
  }
  written = written && TIFFFlush(tiff.get()) == 1;
  tiff.close();
  if (!written || !tiff.error().empty()) {
    throw RuntimeError(tiff.error().empty() ? std::string("libtiff cannot write it") : tiff.error());
  }
}

}  // namespace tilewright
