// Source: Portable Network Graphics Specification, second edition (W3C 2003), sections 5, 7, 9, 10 and 11; RFC 1950.
#include "png_writer.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string_view>

#include "bands.hpp"
#include "tilewright/core/error.hpp"

namespace tilewright {
namespace {

using Byte = std::uint8_t;

constexpr std::size_t chunk_head = 8;  // length and type
constexpr std::size_t chunk_tail = 4;  // checksum
constexpr int raw_deflate = -15;       // window bits; negative: without zlib's frame, which is the whole image's
constexpr int memory_level = 8;
constexpr std::int64_t deflate_state = 268 * 1024;  // by zconf.h, at that level

std::int64_t row_bytes(const ImageShape& image) {
  return image.extent.width * static_cast<std::int64_t>(image.format.bytes());
}

/// Rows that are compressed by themselves: so many that what ends them, 5 bytes, and what they forget do not count.
std::int64_t rows_per_band(const ImageShape& image) {
  constexpr std::int64_t band_bytes = 512 * 1024;
  return std::clamp<std::int64_t>(band_bytes / std::max<std::int64_t>(1, row_bytes(image)), 1, image.extent.height);
}

std::int64_t band_count(const ImageShape& image) {
  const std::int64_t rows = rows_per_band(image);
  return (image.extent.height + rows - 1) / rows;
}

/// How many bytes a band's rows may take at most when compressed.
std::size_t compressed_limit(std::int64_t bytes) {
  constexpr std::size_t sync_marker = 16;  // rounded up
  return ::compressBound(static_cast<uLong>(bytes)) + sync_marker;
}

void put_big_endian(Byte* place, std::uint32_t value) {
  for (int i = 0; i < 4; ++i) place[i] = static_cast<Byte>(value >> (24 - 8 * i));
}

/// Completes a chunk whose data, `length` bytes, stand behind the room for its head. Returns the size of the chunk.
std::size_t complete_chunk(Byte* chunk, std::string_view type, std::size_t length) {
  put_big_endian(chunk, static_cast<std::uint32_t>(length));
  std::memcpy(chunk + 4, type.data(), 4);
  const auto checksum = ::crc32(0, chunk + 4, static_cast<uInt>(length + 4));
  put_big_endian(chunk + chunk_head + length, static_cast<std::uint32_t>(checksum));
  return chunk_head + length + chunk_tail;
}

/// One row as PNG filters it: its kind, 1 ("sub"), and the difference of each byte to that of the pixel before.
class RowFilter {
 public:
  explicit RowFilter(const ConstView& image)
      : image_(image),
        pixel_(image.format().bytes()),
        ordered_(static_cast<std::size_t>(image.area().width()) * pixel_),
        filtered_(ordered_.size() + 1) {}

  [[nodiscard]] std::span<Byte> row(std::int64_t y) {
    const Byte* in = reinterpret_cast<const Byte*>(image_.bytes_at(image_.area().x0, y));
    if (image_.format().type == PixelType::u16) in = big_endian(in);
    constexpr Byte difference_to_the_left = 1;
    filtered_[0] = difference_to_the_left;
    Byte* out = filtered_.data() + 1;
    const std::size_t bytes = ordered_.size();
    std::copy_n(in, pixel_, out);
    for (std::size_t i = pixel_; i < bytes; ++i) out[i] = static_cast<Byte>(in[i] - in[i - pixel_]);
    return filtered_;
  }

 private:
  [[nodiscard]] const Byte* big_endian(const Byte* in) {
    if constexpr (std::endian::native == std::endian::big) return in;
    for (std::size_t i = 0; i + 1 < ordered_.size(); i += 2) {
      ordered_[i] = in[i + 1];
      ordered_[i + 1] = in[i];
    }
    return ordered_.data();
  }

  ConstView image_;
  std::size_t pixel_;
  std::vector<Byte> ordered_;
  std::vector<Byte> filtered_;
};

/// Rows compressed by themselves, as a chunk.
struct Band {
  FilePart chunk;
  uLong adler = 0;            ///< of the filtered rows
  std::int64_t filtered = 0;  ///< bytes of them
};

/// Compresses as OpenCV does by default: quickly, and repetitions of one byte alone.
class Deflater {
 public:
  Deflater() {
    if (::deflateInit2(&stream_, Z_BEST_SPEED, Z_DEFLATED, raw_deflate, memory_level, Z_RLE) != Z_OK) {
      throw RuntimeError("zlib has no memory");
    }
  }
  ~Deflater() { ::deflateEnd(&stream_); }
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;

  /// The next stream goes to `target`, which has room for all of it.
  void begin(Byte* target, std::size_t room) {
    ::deflateReset(&stream_);
    stream_.next_out = target;
    stream_.avail_out = static_cast<uInt>(room);
  }
  void put(std::span<Byte> bytes, int flush) {
    stream_.next_in = bytes.data();
    stream_.avail_in = static_cast<uInt>(bytes.size());
    const int status = ::deflate(&stream_, flush);
    const bool is_done = flush == Z_FINISH ? status == Z_STREAM_END : status == Z_OK;
    if (!is_done || stream_.avail_in > 0) throw InternalError("encode_png: zlib had too little room");
  }
  [[nodiscard]] std::size_t written() const { return stream_.total_out; }

 private:
  z_stream stream_{};
};

Band compressed(const ConstView& rows, bool is_last, RowFilter& filter, Deflater& deflater) {
  const Rect area = rows.area();
  Band band;
  band.filtered = area.height() * (area.width() * static_cast<std::int64_t>(rows.format().bytes()) + 1);
  const std::size_t room = compressed_limit(band.filtered);
  band.chunk.data = std::make_unique_for_overwrite<std::byte[]>(chunk_head + room + chunk_tail);
  auto* const chunk = reinterpret_cast<Byte*>(band.chunk.data.get());
  band.adler = ::adler32(0, nullptr, 0);
  deflater.begin(chunk + chunk_head, room);
  for (std::int64_t y = area.y0; y < area.y1; ++y) {
    const std::span<Byte> row = filter.row(y);
    band.adler = ::adler32(band.adler, row.data(), static_cast<uInt>(row.size()));
    const int at_the_end = is_last ? Z_FINISH : Z_SYNC_FLUSH;
    deflater.put(row, y + 1 < area.y1 ? Z_NO_FLUSH : at_the_end);
  }
  band.chunk.size = complete_chunk(chunk, "IDAT", deflater.written());
  return band;
}

std::vector<Band> compressed_bands(const ConstView& image, const ImageShape& shape, int threads) {
  const std::int64_t count = band_count(shape);
  const std::int64_t height = rows_per_band(shape);
  std::vector<Band> bands(static_cast<std::size_t>(count));
  for_each_band(Rect{0, 0, 1, count}, threads, [&](const Rect& share) {
    RowFilter filter(image);
    Deflater deflater;
    for (std::int64_t i = share.y0; i < share.y1; ++i) {
      Rect rows = image.area();
      rows.y0 += i * height;
      rows.y1 = std::min(rows.y0 + height, rows.y1);
      bands[static_cast<std::size_t>(i)] = compressed(image.restricted(rows), i + 1 == count, filter, deflater);
    }
  });
  return bands;
}

/// What stands before the rows or behind them.
class Frame {
 public:
  void add(std::span<const Byte> data) { bytes_.insert(bytes_.end(), data.begin(), data.end()); }
  void add_chunk(std::string_view type, std::span<const Byte> data) {
    std::vector<Byte> chunk(chunk_head + data.size() + chunk_tail);
    std::copy(data.begin(), data.end(), chunk.begin() + chunk_head);
    (void)complete_chunk(chunk.data(), type, data.size());
    add(chunk);
  }
  [[nodiscard]] FilePart part() const {
    FilePart part{std::make_unique_for_overwrite<std::byte[]>(bytes_.size()), bytes_.size()};
    std::memcpy(part.data.get(), bytes_.data(), bytes_.size());
    return part;
  }

 private:
  std::vector<Byte> bytes_;
};

FilePart beginning(const ImageShape& shape) {
  constexpr Byte gray = 0;
  constexpr Byte colour = 2;
  constexpr Byte colour_and_alpha = 6;
  constexpr std::array<Byte, 8> signature{0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
  constexpr std::array<Byte, 2> compression{0x78, 0x01};  // of zlib's frame: a window of 32 KiB, the fastest
  std::array<Byte, 13> header{};                          // its last three: deflate, its filters, no interlace
  put_big_endian(header.data(), static_cast<std::uint32_t>(shape.extent.width));
  put_big_endian(header.data() + 4, static_cast<std::uint32_t>(shape.extent.height));
  header[8] = static_cast<Byte>(8 * bytes_of(shape.format.type));
  header[9] = shape.format.channels == 1 ? gray : (shape.format.channels == 3 ? colour : colour_and_alpha);
  Frame frame;
  frame.add(signature);
  frame.add_chunk("IHDR", header);
  frame.add_chunk("IDAT", compression);
  return frame.part();
}

/// zlib's frame ends with the sum of all rows.
FilePart ending(const std::vector<Band>& bands) {
  uLong adler = ::adler32(0, nullptr, 0);
  for (const Band& band : bands) adler = ::adler32_combine(adler, band.adler, static_cast<z_off_t>(band.filtered));
  std::array<Byte, 4> sum{};
  put_big_endian(sum.data(), static_cast<std::uint32_t>(adler));
  Frame frame;
  frame.add_chunk("IDAT", sum);
  frame.add_chunk("IEND", {});
  return frame.part();
}

}  // namespace

int png_writer_threads(const ImageShape& image, int threads) {
  return static_cast<int>(std::min<std::int64_t>(threads, band_count(image)));
}

std::int64_t png_writer_bytes(const ImageShape& image, int threads) {
  const std::int64_t band = rows_per_band(image) * (row_bytes(image) + 1);
  const auto chunk = static_cast<std::int64_t>(compressed_limit(band) + chunk_head + chunk_tail);
  const std::int64_t rows = 2 * row_bytes(image) + 1;
  return band_count(image) * chunk + png_writer_threads(image, threads) * (deflate_state + rows);
}

std::vector<FilePart> encode_png(const ConstView& image, int threads) {
  const ImageShape shape{{image.area().width(), image.area().height()}, image.format()};
  std::vector<Band> bands = compressed_bands(image, shape, threads);
  std::vector<FilePart> parts;
  parts.push_back(beginning(shape));
  for (Band& band : bands) parts.push_back(std::move(band.chunk));
  parts.push_back(ending(bands));
  return parts;
}

}  // namespace tilewright
