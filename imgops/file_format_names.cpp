#include "file_format_names.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

namespace tilewright {
namespace {

const std::vector<WritableFormat>& formats() {
  constexpr std::int64_t any = 0x7FFFFFFF;
  constexpr std::int64_t jpeg_limit = 65500;  // of libjpeg
  using enum PixelType;
  static const std::vector<WritableFormat> list{
      {{".tif", ".tiff"}, "TIFF", "read_tiff", "write_tiff", {u8, u16, f32, f64}, {1, 2, 3, 4}, any},
      {{".png"}, "PNG", "read_png", "write_png", {u8, u16}, {1, 3, 4}, 1000000},
      {{".jpg", ".jpeg"}, "JPEG", "read_jpeg", "write_jpeg", {u8}, {1, 3}, jpeg_limit},
      {{".bmp"}, "BMP", "read_other", "write_other", {u8}, {1, 3}, any},
      {{".pgm"}, "PGM", "read_other", "write_other", {u8, u16}, {1}, any},
      {{".ppm"}, "PPM", "read_other", "write_other", {u8, u16}, {3}, any},
      {{".pnm"}, "PNM", "read_other", "write_other", {u8, u16}, {1, 3}, any},
  };
  return list;
}

}  // namespace

const WritableFormat* format_of(const std::string& path) {
  std::string extension = std::filesystem::path(path).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const WritableFormat& format : formats()) {
    if (std::count(format.extensions.begin(), format.extensions.end(), extension) > 0) return &format;
  }
  return nullptr;
}

std::string writable_extensions() {
  std::vector<std::string> extensions;
  for (const WritableFormat& format : formats()) {
    extensions.insert(extensions.end(), format.extensions.begin(), format.extensions.end());
  }
  return fmt::format("{}", fmt::join(extensions, " "));
}

const char* read_key_of(const std::string& path) {
  const WritableFormat* format = format_of(path);
  return format != nullptr ? format->read_key : "read_other";
}

}  // namespace tilewright
