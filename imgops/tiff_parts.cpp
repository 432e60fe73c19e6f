#include "tiff_parts.hpp"

#include <fmt/format.h>

#include "file_content.hpp"
#include "file_pieces.hpp"
#include "tilewright/core/error.hpp"

namespace tilewright {
namespace {

/// How the chunks of an image follow each other: by rows, each row from left to right.
class Chunks {
 public:
  explicit Chunks(const TiffLayout& layout) : layout_(layout) {}

  [[nodiscard]] std::int64_t across() const {
    return (layout_.shape.extent.width + layout_.chunk_width - 1) / layout_.chunk_width;
  }
  [[nodiscard]] std::int64_t down() const {
    return (layout_.shape.extent.height + layout_.chunk_height - 1) / layout_.chunk_height;
  }
  /// The pixels of a chunk that are of the image.
  [[nodiscard]] Rect area(std::int64_t column, std::int64_t row) const {
    const std::int64_t x = column * layout_.chunk_width;
    const std::int64_t y = row * layout_.chunk_height;
    return intersection({x, y, x + layout_.chunk_width, y + layout_.chunk_height}, rect_of(layout_.shape.extent));
  }
  /// Of a chunk in the file: a strip ends with the image, a tile is always whole.
  [[nodiscard]] std::uint64_t stored_bytes(std::int64_t row) const {
    const std::int64_t rows = layout_.has_tiles ? layout_.chunk_height : area(0, row).height();
    return static_cast<std::uint64_t>(layout_.chunk_width * rows) * layout_.shape.format.bytes();
  }

 private:
  const TiffLayout& layout_;
};

/// The rows of `part`, which lies in the chunk of that area that begins at `offset`.
void read_of_chunk(FilePieces& pieces, std::int64_t offset, const Rect& chunk, const Rect& part, std::int64_t pitch,
                   const MutableView& target) {
  const auto pixel_bytes = static_cast<std::int64_t>(target.format().bytes());
  for (std::int64_t y = part.y0; y < part.y1; ++y) {
    const std::int64_t pixels_before = (y - chunk.y0) * pitch + part.x0 - chunk.x0;
    pieces.add(offset + pixels_before * pixel_bytes, target.bytes_at(part.x0, y),
               static_cast<std::size_t>(part.width() * pixel_bytes));
  }
}

}  // namespace

std::string why_no_tiff_parts(const TiffHandle& handle, const TiffLayout& layout, std::int64_t file_bytes) {
  TIFF* tiff = handle.get();
  if (short_tag(tiff, TIFFTAG_COMPRESSION) != COMPRESSION_NONE) return "it is compressed";
  if (TIFFIsByteSwapped(tiff) != 0) return "its bytes are in the order of other machines";
  if (short_tag(tiff, TIFFTAG_FILLORDER) != FILLORDER_MSB2LSB) return "its bits are in an unusual order";
  if (layout.has_planes) return "it stores each channel by itself";
  const Chunks chunks(layout);
  for (std::int64_t row = 0; row < chunks.down(); ++row) {
    for (std::int64_t column = 0; column < chunks.across(); ++column) {
      const auto chunk = static_cast<std::uint32_t>(row * chunks.across() + column);
      const std::uint64_t begin = TIFFGetStrileOffset(tiff, chunk);
      const std::uint64_t bytes = chunks.stored_bytes(row);
      const bool is_whole = begin > 0 && TIFFGetStrileByteCount(tiff, chunk) >= bytes &&
                            begin + bytes <= static_cast<std::uint64_t>(file_bytes);
      if (!is_whole) return "the file lacks some of its pixels";
    }
  }
  return {};
}

void read_tiff_part(const std::string& path, const ImageShape& shape, const Rect& area, const MutableView& target) {
  const TiffHandle tiff(path, "rm");
  if (!tiff.is_open()) throw RuntimeError(tiff.error().empty() ? std::string("it cannot be opened") : tiff.error());
  const TiffLayout layout = tiff_layout(tiff);
  if (layout.shape != shape) throw RuntimeError(fmt::format("it has changed: it is {} now", to_string(layout.shape)));
  const std::string reason = why_no_tiff_parts(tiff, layout, file_bytes(path));
  if (!reason.empty()) throw RuntimeError("it has changed: " + reason);
  FilePieces pieces(path, FilePieces::Direction::read);
  const Chunks chunks(layout);
  for (std::int64_t row = area.y0 / layout.chunk_height; row * layout.chunk_height < area.y1; ++row) {
    for (std::int64_t column = area.x0 / layout.chunk_width; column * layout.chunk_width < area.x1; ++column) {
      const auto chunk = static_cast<std::uint32_t>(row * chunks.across() + column);
      const Rect stored = chunks.area(column, row);
      read_of_chunk(pieces, static_cast<std::int64_t>(TIFFGetStrileOffset(tiff.get(), chunk)), stored,
                    intersection(area, stored), layout.chunk_width, target);
    }
  }
  pieces.finish();
}

}  // namespace tilewright
