#include "tiff_layout.hpp"

#include <fmt/format.h>

#include "tilewright/core/error.hpp"

namespace tilewright {
namespace {

[[noreturn]] void refuse(const std::string& what) {
  throw ParameterError(
      fmt::format("TIFF with {}; convert it to 8 or 16 bits unsigned, or 32 or 64 bits floating "
                  "point, gray or RGB, with 1 to 4 channels",
                  what));
}

PixelType pixel_type(TIFF* tiff) {
  const int bits = short_tag(tiff, TIFFTAG_BITSPERSAMPLE);
  const int kind = short_tag(tiff, TIFFTAG_SAMPLEFORMAT);
  const bool is_unsigned = kind == SAMPLEFORMAT_UINT || kind == SAMPLEFORMAT_VOID;
  if (is_unsigned && bits == 8) return PixelType::u8;
  if (is_unsigned && bits == 16) return PixelType::u16;
  if (kind == SAMPLEFORMAT_IEEEFP && bits == 32) return PixelType::f32;
  if (kind == SAMPLEFORMAT_IEEEFP && bits == 64) return PixelType::f64;
  const char* name = is_unsigned                   ? "unsigned"
                     : kind == SAMPLEFORMAT_INT    ? "signed"
                     : kind == SAMPLEFORMAT_IEEEFP ? "floating-point"
                                                   : "complex";
  refuse(fmt::format("{} values of {} bit{}", name, bits, bits == 1 ? "" : "s"));
}

void check_colours(TIFF* tiff, int channels) {
  std::uint16_t photometric = channels >= 3 ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK;  // if the tag is missing
  TIFFGetField(tiff, TIFFTAG_PHOTOMETRIC, &photometric);
  const bool is_jpeg = short_tag(tiff, TIFFTAG_COMPRESSION) == COMPRESSION_JPEG;
  if (photometric == PHOTOMETRIC_YCBCR && is_jpeg) {
    TIFFSetField(tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
    return;
  }
  switch (photometric) {
    case PHOTOMETRIC_MINISBLACK:
      return;
    case PHOTOMETRIC_RGB:
      if (channels < 3) refuse(fmt::format("RGB colours in {} channels", channels));
      return;
    case PHOTOMETRIC_MINISWHITE:
      refuse("white as 0");
    case PHOTOMETRIC_PALETTE:
      refuse("a palette");
    case PHOTOMETRIC_MASK:
      refuse("a transparency mask");
    case PHOTOMETRIC_SEPARATED:
      refuse("CMYK colours");
    case PHOTOMETRIC_YCBCR:
      refuse("YCbCr colours");
    default:
      refuse(fmt::format("photometric interpretation {}", photometric));
  }
}

}  // namespace

std::uint16_t short_tag(TIFF* tiff, std::uint32_t tag) {
  std::uint16_t value = 0;
  TIFFGetFieldDefaulted(tiff, tag, &value);
  return value;
}

TiffLayout tiff_layout(const TiffHandle& handle) {
  TIFF* tiff = handle.get();
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  if (TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &width) == 0 || TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &height) == 0) {
    throw ParameterError("TIFF without a size: the file is damaged");
  }
  if (TIFFLastDirectory(tiff) == 0) {
    throw ParameterError("TIFF with several pages; only one page is supported: split it, for example with tiffsplit");
  }
  const int channels = short_tag(tiff, TIFFTAG_SAMPLESPERPIXEL);
  if (channels < 1 || channels > max_channels) refuse(fmt::format("{} channels", channels));

  TiffLayout layout;
  layout.shape = {{width, height}, {pixel_type(tiff), channels}};
  check_colours(tiff, channels);
  layout.has_tiles = TIFFIsTiled(tiff) != 0;
  layout.has_planes = channels > 1 && short_tag(tiff, TIFFTAG_PLANARCONFIG) == PLANARCONFIG_SEPARATE;
  std::uint32_t chunk_width = width;
  std::uint32_t chunk_height = height;
  if (layout.has_tiles) {
    TIFFGetField(tiff, TIFFTAG_TILEWIDTH, &chunk_width);
    TIFFGetField(tiff, TIFFTAG_TILELENGTH, &chunk_height);
  } else {
    TIFFGetFieldDefaulted(tiff, TIFFTAG_ROWSPERSTRIP, &chunk_height);
    chunk_height = std::min(chunk_height, height);
  }
  if (chunk_width == 0 || chunk_height == 0) throw ParameterError("TIFF with empty strips or tiles: it is damaged");
  layout.chunk_width = chunk_width;
  layout.chunk_height = chunk_height;
  return layout;
}

}  // namespace tilewright
