#include "tiff_frame.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>
#include <vector>

#include "file_pieces.hpp"
#include "tiff_handle.hpp"
#include "tiff_writer.hpp"
#include "tilewright/core/error.hpp"

namespace tilewright {
namespace {

/// A file of which libtiff believes that it has been written, where it has only been passed over.
struct FileWithHoles {
  int file = -1;
  std::int64_t position = 0;
  std::int64_t end = 0;
  bool passes_over = false;
};

FileWithHoles& file_of(thandle_t handle) {
  return *static_cast<FileWithHoles*>(handle);
}

tmsize_t read_back(thandle_t handle, void* memory, tmsize_t bytes) {
  FileWithHoles& file = file_of(handle);
  const ssize_t got = ::pread(file.file, memory, static_cast<std::size_t>(bytes), file.position);
  if (got > 0) file.position += got;
  return got;
}

tmsize_t write_or_pass(thandle_t handle, void* memory, tmsize_t bytes) {
  FileWithHoles& file = file_of(handle);
  const ssize_t written =
      file.passes_over ? bytes : ::pwrite(file.file, memory, static_cast<std::size_t>(bytes), file.position);
  if (written > 0) file.position += written;
  file.end = std::max(file.end, file.position);
  return written;
}

toff_t move_to(thandle_t handle, toff_t offset, int origin) {
  FileWithHoles& file = file_of(handle);
  const std::int64_t base = origin == SEEK_SET ? 0 : origin == SEEK_CUR ? file.position : file.end;
  file.position = base + static_cast<std::int64_t>(offset);
  return static_cast<toff_t>(file.position);
}

int close_nothing(thandle_t /*handle*/) {
  return 0;
}

toff_t size_of(thandle_t handle) {
  return static_cast<toff_t>(file_of(handle).end);
}

/// Closes what it opened: who has written does that with close(), for another host's file system may tell only then
/// that it could not store it.
class OpenFile {
 public:
  explicit OpenFile(const std::string& path) : file_(::open(path.c_str(), O_RDWR | O_CLOEXEC)) {
    if (file_ < 0) throw RuntimeError(std::strerror(errno));
  }
  ~OpenFile() {
    if (file_ >= 0) ::close(file_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  [[nodiscard]] int get() const { return file_; }
  void close() {
    if (::close(std::exchange(file_, -1)) != 0) throw RuntimeError(std::strerror(errno));
  }

 private:
  int file_;
};

void check(bool succeeds, const TiffHandle& tiff) {
  if (!succeeds) throw RuntimeError(tiff.error().empty() ? std::string("libtiff cannot write it") : tiff.error());
}

}  // namespace

std::int64_t write_tiff_frame(const std::string& path, const ImageShape& image) {
  OpenFile target(path);
  FileWithHoles file{target.get()};
  const char* mode = needs_big_tiff(image) ? "w8m" : "wm";
  TiffHandle tiff([&](TIFFOpenOptions* options) {
    return TIFFClientOpenExt(path.c_str(), mode, &file, read_back, write_or_pass, move_to, close_nothing, size_of,
                             nullptr, nullptr, options);
  });
  check(tiff.is_open(), tiff);
  set_tiff_tags(tiff.get(), image);
  const std::int64_t rows = rows_per_tiff_strip(image);
  std::vector<std::byte> nothing(static_cast<std::size_t>(tiff_writer_bytes(image)));
  const std::int64_t row_bytes = tiff_writer_bytes(image) / rows;
  file.passes_over = true;
  for (std::int64_t y = 0; y < image.extent.height; y += rows) {
    const auto bytes = static_cast<tmsize_t>(std::min(rows, image.extent.height - y) * row_bytes);
    check(TIFFWriteEncodedStrip(tiff.get(), static_cast<std::uint32_t>(y / rows), nothing.data(), bytes) == bytes,
          tiff);
  }
  file.passes_over = false;
  const auto begin = static_cast<std::int64_t>(TIFFGetStrileOffset(tiff.get(), 0));
  check(TIFFFlush(tiff.get()) == 1, tiff);
  tiff.close();
  check(tiff.error().empty(), tiff);
  // Room for all of it at once. A wish: where it cannot be had, writing says why.
  (void)::fallocate(target.get(), FALLOC_FL_KEEP_SIZE, 0, image.bytes());
  target.close();
  return begin;
}

void write_tiff_part(const std::string& path, std::int64_t pixels_begin, const ImageShape& image,
                     const ConstView& part) {
  FilePieces pieces(path, FilePieces::Direction::write);
  write_tiff_part(pieces, pixels_begin, image, part);
}

void write_tiff_part(FilePieces& pieces, std::int64_t pixels_begin, const ImageShape& image, const ConstView& part) {
  const Rect area = part.area();
  const auto pixel_bytes = static_cast<std::int64_t>(image.format.bytes());
  for (std::int64_t y = area.y0; y < area.y1; ++y) {
    auto* const row = const_cast<std::byte*>(part.bytes_at(area.x0, y));  // writing only reads it
    pieces.add(pixels_begin + (y * image.extent.width + area.x0) * pixel_bytes, row,
               static_cast<std::size_t>(area.width() * pixel_bytes));
  }
  pieces.finish();
}

}  // namespace tilewright
