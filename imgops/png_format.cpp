// Source: Portable Network Graphics Specification, second edition (W3C 2003), sections 5 and 11.
#include <algorithm>
#include <array>
#include <string_view>

#include "encoded_format.hpp"

namespace tilewright {
namespace {

constexpr std::array<std::uint8_t, 8> signature{0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
constexpr std::size_t chunk_overhead = 12;  // length, type, checksum

bool matches(ByteSpan bytes) {
  return bytes.size() >= signature.size() && std::equal(signature.begin(), signature.end(), bytes.begin());
}

struct Chunk {
  std::string_view type;
  ByteSpan data;
  std::size_t offset = 0;  ///< of the chunk in the file
  std::size_t end = 0;
};

/// The chunk at `offset`; its data are cut short where the bytes end. None if not even its head is there.
std::optional<Chunk> chunk_at(ByteSpan bytes, std::size_t offset) {
  if (bytes.size() < offset + 8) return std::nullopt;
  const std::size_t length = big_endian(bytes, offset, 4);
  const ByteSpan rest = bytes.subspan(offset + 8);
  return Chunk{{reinterpret_cast<const char*>(bytes.data()) + offset + 4, 4},
               rest.first(std::min(length, rest.size())),
               offset,
               offset + length + chunk_overhead};
}

/// As OpenCV 4.6 decodes without conversion: palettes become colours; any transparency makes four channels.
ImageShape shape_of(ByteSpan header, bool has_transparency) {
  constexpr std::uint8_t gray = 0;
  constexpr std::uint8_t colour = 2;
  constexpr std::uint8_t palette = 3;
  const std::uint8_t colour_type = header[9];
  int channels = 4;
  if (colour_type == gray) channels = 1;
  if (colour_type == colour || colour_type == palette) channels = has_transparency ? 4 : 3;
  return {{big_endian(header, 0, 4), big_endian(header, 4, 4)},
          {header[8] == 16 ? PixelType::u16 : PixelType::u8, channels}};
}

std::optional<ImageShape> shape(ByteSpan bytes) {
  ByteSpan header;
  bool has_transparency = false;
  for (std::size_t offset = signature.size();;) {
    const auto chunk = chunk_at(bytes, offset);
    if (!chunk) return std::nullopt;
    if (offset == signature.size()) {
      if (chunk->type != "IHDR" || chunk->data.size() < 13) throw ParameterError("its PNG header is damaged");
      header = chunk->data;
    }
    if (chunk->type == "tRNS") has_transparency = true;
    if (chunk->type == "IDAT" || chunk->type == "IEND") return shape_of(header, has_transparency);
    offset = chunk->end;
  }
}

/// CRC-32 of ISO 3309, bit by bit from a table of one byte.
std::uint32_t checksum(ByteSpan bytes) {
  static const auto table = [] {
    std::array<std::uint32_t, 256> entries{};
    for (std::uint32_t i = 0; i < entries.size(); ++i) {
      std::uint32_t value = i;
      for (int bit = 0; bit < 8; ++bit) value = (value & 1) != 0 ? 0xEDB88320U ^ value >> 1 : value >> 1;
      entries[i] = value;
    }
    return entries;
  }();
  std::uint32_t sum = 0xFFFFFFFF;
  for (const std::uint8_t byte : bytes) sum = table[(sum ^ byte) & 0xFF] ^ sum >> 8;
  return ~sum;
}

std::string damage(ByteSpan content) {
  for (std::size_t offset = signature.size();;) {
    const auto chunk = chunk_at(content, offset);
    if (!chunk || chunk->end > content.size()) return "the file is truncated";
    if (checksum(content.subspan(offset + 4, chunk->data.size() + 4)) != big_endian(content, chunk->end - 4, 4)) {
      return "the file is damaged: a checksum is wrong in its chunk " + std::string(chunk->type);
    }
    if (chunk->type == "IEND") return {};
    offset = chunk->end;
  }
}

/// Keeps the chunks that pixels depend on. Others, such as colour profiles, only make libpng print warnings.
void simplify(Bytes& content) {
  std::size_t kept = signature.size();
  for (std::size_t offset = signature.size(); offset < content.size();) {
    const auto chunk = chunk_at(content, offset);
    if (!chunk || chunk->end > content.size()) break;
    const std::size_t end = chunk->end;
    const bool is_needed = chunk->type == "IHDR" || chunk->type == "PLTE" || chunk->type == "tRNS" ||
                           chunk->type == "IDAT" || chunk->type == "IEND";
    if (is_needed) {
      std::copy(content.begin() + static_cast<std::ptrdiff_t>(offset),
                content.begin() + static_cast<std::ptrdiff_t>(end),
                content.begin() + static_cast<std::ptrdiff_t>(kept));
      kept += end - offset;
    }
    offset = end;
  }
  content.resize(kept);
}

}  // namespace

const EncodedFormat& png_format() {
  static const EncodedFormat format{"PNG", "read_png", matches, shape, damage, simplify};
  return format;
}

}  // namespace tilewright
