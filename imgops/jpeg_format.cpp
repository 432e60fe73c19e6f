// Source: ITU-T T.81 (JPEG), annex B.
#include <fmt/format.h>

#include "encoded_format.hpp"

namespace tilewright {
namespace {

constexpr std::uint8_t start_of_image = 0xD8;
constexpr std::uint8_t end_of_image = 0xD9;
constexpr std::uint8_t start_of_scan = 0xDA;

bool matches(ByteSpan bytes) {
  return bytes.size() >= 3 && bytes[0] == 0xFF && bytes[1] == start_of_image && bytes[2] == 0xFF;
}

/// Markers without a segment: restart intervals, the start and the end of the image, and the temporary marker.
bool stands_alone(std::uint8_t marker) {
  return (marker >= 0xD0 && marker <= end_of_image) || marker == 0x01;
}

bool starts_frame(std::uint8_t marker) {
  const bool is_other = marker == 0xC4 || marker == 0xC8 || marker == 0xCC;  // tables, and an extension
  return marker >= 0xC0 && marker <= 0xCF && !is_other;
}

struct Segment {
  std::uint8_t marker = 0;
  std::size_t data = 0;  ///< offset of what follows the length
  std::size_t end = 0;   ///< may lie beyond the bytes
};

/// The segment whose marker comes at or after `offset`; coded pixels on the way are passed over.
std::optional<Segment> next_segment(ByteSpan bytes, std::size_t offset) {
  while (offset + 1 < bytes.size()) {
    const std::uint8_t marker = bytes[offset + 1];
    const bool is_marker = bytes[offset] == 0xFF && marker != 0x00 && marker != 0xFF;  // 0xFF 0x00 is coded data
    if (!is_marker) {
      ++offset;
      continue;
    }
    if (stands_alone(marker)) return Segment{marker, offset + 2, offset + 2};
    if (offset + 4 > bytes.size()) return std::nullopt;
    return Segment{marker, offset + 4, offset + 2 + big_endian(bytes, offset + 2, 2)};
  }
  return std::nullopt;
}

/// Baseline, extended and progressive, by Huffman codes or arithmetic ones: what libjpeg decodes.
bool is_decodable(std::uint8_t frame_marker) {
  return frame_marker <= 0xC2 || frame_marker == 0xC9 || frame_marker == 0xCA;
}

ImageShape shape_of(std::uint8_t marker, ByteSpan frame) {
  if (!is_decodable(marker)) throw ParameterError("lossless or hierarchical JPEG, which is not supported");
  const int precision = frame[0];
  const std::uint32_t height = big_endian(frame, 1, 2);
  const std::uint32_t width = big_endian(frame, 3, 2);
  const int components = frame[5];
  if (precision != 8) throw ParameterError(fmt::format("JPEG with {} bits a value; only 8 are supported", precision));
  if (components != 1 && components != 3 && components != 4) {
    throw ParameterError(fmt::format("JPEG with {} components; only 1, 3 and 4 are supported", components));
  }
  return {{width, height}, {PixelType::u8, components == 1 ? 1 : 3}};  // OpenCV converts CMYK to colours
}

std::optional<ImageShape> shape(ByteSpan bytes) {
  constexpr std::size_t frame_bytes = 6;
  std::size_t offset = 0;
  while (const auto segment = next_segment(bytes, offset)) {
    if (starts_frame(segment->marker)) {
      if (segment->data + frame_bytes > bytes.size()) return std::nullopt;
      return shape_of(segment->marker, bytes.subspan(segment->data, frame_bytes));
    }
    if (segment->marker == end_of_image || segment->marker == start_of_scan) {
      throw ParameterError("its JPEG header is damaged");
    }
    offset = segment->end;
  }
  return std::nullopt;
}

std::string damage(ByteSpan content) {
  std::size_t offset = 0;
  while (const auto segment = next_segment(content, offset)) {
    if (segment->marker == end_of_image) return {};
    offset = segment->end;
  }
  return "the file is truncated";
}

}  // namespace

const EncodedFormat& jpeg_format() {
  static const EncodedFormat format{"JPEG", "read_jpeg", matches, shape, damage, nullptr};
  return format;
}

}  // namespace tilewright
