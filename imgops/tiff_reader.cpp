#include "tiff_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "tiff_layout.hpp"
#include "tiff_parts.hpp"
#include "tilewright/core/error.hpp"

namespace tilewright {
namespace {

/// Reading without mapping: mapped pages would count as memory of this process.
constexpr const char* read_mode = "rm";

/// The error, after something that may not have set one.
std::string reason(const TiffHandle& tiff, const char* otherwise) {
  return tiff.error().empty() ? otherwise : tiff.error();
}

/// Copies decoded chunks to where they belong.
class ChunkReader {
 public:
  ChunkReader(const TiffHandle& tiff, const TiffLayout& layout, const MutableView& target)
      : tiff_(tiff), layout_(layout), target_(target), buffer_(static_cast<std::size_t>(layout.chunk_bytes())) {}

  /// The chunk whose first pixel is (x, y); of one channel if channels are stored apart.
  void read(std::int64_t x, std::int64_t y, int channel) {
    const Extent extent = layout_.shape.extent;
    const std::int64_t width = std::min(layout_.chunk_width, extent.width - x);
    const std::int64_t height = std::min(layout_.chunk_height, extent.height - y);
    decode(x, y, channel, layout_.has_tiles ? layout_.chunk_height : height);
    const auto pixel_bytes =
        bytes_of(layout_.shape.format.type) * static_cast<std::size_t>(layout_.channels_in_chunk());
    for (std::int64_t row = 0; row < height; ++row) {
      const std::byte* source = buffer_.data() + static_cast<std::size_t>(row * layout_.chunk_width) * pixel_bytes;
      if (layout_.has_planes) {
        spread(source, width, x, y + row, channel);
      } else {
        std::memcpy(target_.bytes_at(x, y + row), source, static_cast<std::size_t>(width) * pixel_bytes);
      }
    }
  }

 private:
  void decode(std::int64_t x, std::int64_t y, int channel, std::int64_t rows) {
    const auto column = static_cast<std::uint32_t>(x);
    const auto row = static_cast<std::uint32_t>(y);
    const auto plane = static_cast<std::uint16_t>(channel);
    const auto wanted = static_cast<tmsize_t>(layout_.chunk_bytes() / layout_.chunk_height * rows);
    const tmsize_t got =
        layout_.has_tiles
            ? TIFFReadEncodedTile(tiff_.get(), TIFFComputeTile(tiff_.get(), column, row, 0, plane), buffer_.data(),
                                  wanted)
            : TIFFReadEncodedStrip(tiff_.get(), TIFFComputeStrip(tiff_.get(), row, plane), buffer_.data(), wanted);
    if (got != wanted) {
      throw RuntimeError(fmt::format("the file is truncated or damaged at row {}: {}", y,
                                     reason(tiff_, "fewer pixels than its header says")));
    }
  }

  void spread(const std::byte* source, std::int64_t width, std::int64_t x, std::int64_t y, int channel) {
    with_type(layout_.shape.format.type, [&](auto tag) {
      using T = typename decltype(tag)::type;
      const int channels = layout_.shape.format.channels;
      T* out = target_.at<T>(x, y) + channel;
      for (std::int64_t i = 0; i < width; ++i) {
        std::memcpy(out + i * channels, source + static_cast<std::size_t>(i) * sizeof(T), sizeof(T));
      }
    });
  }

  const TiffHandle& tiff_;
  const TiffLayout& layout_;
  MutableView target_;
  std::vector<std::byte> buffer_;
};

std::uint64_t largest_stored_chunk(TIFF* tiff, const TiffLayout& layout) {
  const std::uint32_t chunks = layout.has_tiles ? TIFFNumberOfTiles(tiff) : TIFFNumberOfStrips(tiff);
  std::uint64_t largest = 0;
  for (std::uint32_t i = 0; i < chunks; ++i) largest = std::max(largest, TIFFGetStrileByteCount(tiff, i));
  return largest;
}

}  // namespace

bool is_tiff(ByteSpan beginning) {
  if (beginning.size() < 4) return false;
  const auto begins_with = [&](std::uint8_t a, std::uint8_t b, std::uint8_t c, std::uint8_t d) {
    return beginning[0] == a && beginning[1] == b && beginning[2] == c && beginning[3] == d;
  };
  return begins_with('I', 'I', 42, 0) || begins_with('M', 'M', 0, 42) ||  //
         begins_with('I', 'I', 43, 0) || begins_with('M', 'M', 0, 43);
}

TiffHeader read_tiff_header(const std::string& path) {
  const TiffHandle tiff(path, read_mode);
  if (!tiff.is_open()) {
    throw ParameterError(
        fmt::format("TIFF that is truncated or damaged: {}", reason(tiff, "its header is unreadable")));
  }
  const TiffLayout layout = tiff_layout(tiff);
  const std::int64_t bytes = file_bytes(path);
  const auto stored =
      std::min<std::uint64_t>(largest_stored_chunk(tiff.get(), layout), static_cast<std::uint64_t>(bytes));
  return {layout.shape, layout.chunk_bytes() + static_cast<std::int64_t>(stored),
          why_no_tiff_parts(tiff, layout, bytes), layout.chunk_width};
}

void read_tiff(const std::string& path, const MutableView& target) {
  const TiffHandle tiff(path, read_mode);
  if (!tiff.is_open()) throw RuntimeError(reason(tiff, "it cannot be opened"));
  const TiffLayout layout = tiff_layout(tiff);
  const Extent extent{target.area().width(), target.area().height()};
  if (layout.shape != ImageShape{extent, target.format()}) {
    throw RuntimeError(fmt::format("it has changed: it is {} now", to_string(layout.shape)));
  }
  ChunkReader reader(tiff, layout, target);
  for (int channel = 0; channel < (layout.has_planes ? layout.shape.format.channels : 1); ++channel) {
    for (std::int64_t y = 0; y < extent.height; y += layout.chunk_height) {
      for (std::int64_t x = 0; x < extent.width; x += layout.chunk_width) reader.read(x, y, channel);
    }
  }
}

}  // namespace tilewright
