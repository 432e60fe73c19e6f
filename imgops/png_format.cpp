// Source: Portable Network Graphics Specification, second edition (W3C 2003), sections 5 and 11.
#include <fmt/format.h>
#include <zlib.h>

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

bool may_have(std::uint8_t colour_type, int bits) {
  switch (colour_type) {
    case 0:  // gray
      return bits == 1 || bits == 2 || bits == 4 || bits == 8 || bits == 16;
    case 3:  // palette
      return bits == 1 || bits == 2 || bits == 4 || bits == 8;
    case 2:  // colour
    case 4:  // gray and alpha
    case 6:  // colour and alpha
      return bits == 8 || bits == 16;
    default:
      return false;
  }
}

/// Table 11.1 of the specification, and what libpng takes at most unless it is told otherwise.
void check_header(ByteSpan header) {
  constexpr std::uint32_t longest_side = 1000000;
  const std::uint32_t longest = std::max(big_endian(header, 0, 4), big_endian(header, 4, 4));
  if (longest > longest_side) {
    throw ParameterError(fmt::format("PNG with a side of {} pixels; at most {} are supported", longest, longest_side));
  }
  if (!may_have(header[9], header[8])) throw ParameterError("its PNG header is damaged");
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
      check_header(header);
    }
    if (chunk->type == "tRNS") has_transparency = true;
    if (chunk->type == "IDAT" || chunk->type == "IEND") return shape_of(header, has_transparency);
    offset = chunk->end;
  }
}

std::uint32_t checksum(ByteSpan bytes) {
  return static_cast<std::uint32_t>(crc32_z(0, bytes.data(), bytes.size()));
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
