// Source: the manual of libpng 1.6, section IV, "Writing".
#include "png_writer.hpp"

#include <png.h>
#include <zlib.h>

#include <array>
#include <bit>
#include <cerrno>
#include <csetjmp>
#include <cstdio>
#include <cstring>

#include "tilewright/core/error.hpp"

namespace tilewright {
namespace {

constexpr std::size_t buffer_bytes = 256 * 1024;

int colour_type(int channels) {
  if (channels == 1) return PNG_COLOR_TYPE_GRAY;
  return channels == 3 ? PNG_COLOR_TYPE_RGB : PNG_COLOR_TYPE_RGB_ALPHA;
}

/// libpng leaves its functions by longjmp where they fail; nothing with a destructor may live between here and there.
template <class Action>
bool succeeds(png_structp png, const Action& action) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  action();
  return true;
}

}  // namespace

struct PngWriter::Encoder {
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::unique_ptr<std::FILE, Close> file;
  png_structp png = nullptr;
  png_infop info = nullptr;
  std::array<char, 256> message{};  // no string, which might throw within libpng

  explicit Encoder(const std::string& path) : file(std::fopen(path.c_str(), "wb")) {
    if (!file) throw RuntimeError(std::strerror(errno));
    std::setvbuf(file.get(), nullptr, _IOFBF, buffer_bytes);
    png = png_create_write_struct(PNG_LIBPNG_VER_STRING, this, keep_message, ignore);
    if (png != nullptr) info = png_create_info_struct(png);
    if (info == nullptr) {
      png_destroy_write_struct(&png, &info);
      throw RuntimeError("libpng cannot be used");
    }
  }
  ~Encoder() { png_destroy_write_struct(&png, &info); }
  Encoder(const Encoder&) = delete;
  Encoder& operator=(const Encoder&) = delete;

  template <class Action>
  void run(const Action& action) {
    errno = 0;
    if (succeeds(png, action)) return;
    throw RuntimeError(errno != 0 ? std::strerror(errno) : message.data());
  }

  static void keep_message(png_structp png, png_const_charp text) {
    auto* const encoder = static_cast<Encoder*>(png_get_error_ptr(png));
    std::strncpy(encoder->message.data(), text, encoder->message.size() - 1);
    png_longjmp(png, 1);
  }
  static void ignore(png_structp /*png*/, png_const_charp /*text*/) {}
};

/// Of the compressor with its window and tables, the file's buffer, and rows as they are filtered.
std::int64_t png_writer_bytes(const ImageShape& image) {
  constexpr std::int64_t compressor_bytes = 300 * 1024;
  const std::int64_t row = image.extent.width * static_cast<std::int64_t>(image.format.bytes());
  return compressor_bytes + 2 * static_cast<std::int64_t>(buffer_bytes) + 3 * row;
}

PngWriter::PngWriter(const std::string& path, const ImageShape& image)
    : encoder_(std::make_unique<Encoder>(path)), rows_missing_(image.extent.height) {
  Encoder& e = *encoder_;
  const auto width = static_cast<png_uint_32>(image.extent.width);
  const auto height = static_cast<png_uint_32>(image.extent.height);
  const int bits = static_cast<int>(8 * bytes_of(image.format.type));
  const int colours = colour_type(image.format.channels);
  e.run([&] {
    png_init_io(e.png, e.file.get());
    png_set_compression_buffer_size(e.png, buffer_bytes);
    png_set_filter(e.png, PNG_FILTER_TYPE_BASE, PNG_FILTER_SUB);
    png_set_compression_level(e.png, Z_BEST_SPEED);
    png_set_compression_strategy(e.png, Z_RLE);
    png_set_IHDR(e.png, e.info, width, height, bits, colours, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    png_write_info(e.png, e.info);
    if (bits == 16 && std::endian::native == std::endian::little) png_set_swap(e.png);
  });
}

PngWriter::~PngWriter() = default;

void PngWriter::put(const ConstView& rows) {
  encoder_->run([&] {
    for (std::int64_t y = rows.area().y0; y < rows.area().y1; ++y) {
      png_write_row(encoder_->png, reinterpret_cast<png_const_bytep>(rows.bytes_at(rows.area().x0, y)));
    }
  });
  rows_missing_ -= rows.area().height();
}

void PngWriter::finish() {
  if (rows_missing_ > 0) throw InternalError("a PNG file is finished before all of its rows have come");
  encoder_->run([&] { png_write_end(encoder_->png, nullptr); });
  if (std::fclose(encoder_->file.release()) != 0) throw RuntimeError(std::strerror(errno));
}

}  // namespace tilewright
