// Source: the Netpbm manual pages pbm(5), pgm(5) and ppm(5).
#include <fmt/format.h>

#include <cctype>

#include "encoded_format.hpp"

namespace tilewright {
namespace {

bool matches(ByteSpan bytes) {
  return bytes.size() >= 3 && bytes[0] == 'P' && bytes[1] >= '4' && bytes[1] <= '6' && std::isspace(bytes[2]) != 0;
}

struct Header {
  std::int64_t width = 0;
  std::int64_t height = 0;
  std::int64_t largest_value = 1;
  std::size_t end = 0;  ///< where pixels begin
};

/// Reads the numbers of a header, between which there may be comments.
class Scanner {
 public:
  explicit Scanner(ByteSpan bytes) : bytes_(bytes) {}

  /// None where the bytes end.
  std::optional<std::int64_t> number() {
    skip_blanks();
    constexpr std::int64_t limit = 1 << 30;
    if (offset_ < bytes_.size() && std::isdigit(bytes_[offset_]) == 0)
      throw ParameterError("its PNM header is damaged");
    std::int64_t value = 0;
    for (; offset_ < bytes_.size() && std::isdigit(bytes_[offset_]) != 0; ++offset_) {
      value = value * 10 + (bytes_[offset_] - '0');
      if (value > limit) throw ParameterError("its PNM header is damaged");
    }
    if (offset_ >= bytes_.size()) return std::nullopt;
    return value;
  }
  [[nodiscard]] std::size_t offset() const { return offset_; }

 private:
  void skip_blanks() {
    bool in_comment = false;
    for (; offset_ < bytes_.size(); ++offset_) {
      const std::uint8_t byte = bytes_[offset_];
      if (byte == '#') in_comment = true;
      if (byte == '\n') in_comment = false;
      if (!in_comment && std::isspace(byte) == 0) return;
    }
  }

  ByteSpan bytes_;
  std::size_t offset_ = 2;
};

std::optional<Header> header_of(ByteSpan bytes) {
  Scanner scanner(bytes);
  const auto width = scanner.number();
  const auto height = scanner.number();
  const auto largest = bytes[1] == '4' ? std::optional<std::int64_t>(1) : scanner.number();
  if (!width || !height || !largest) return std::nullopt;
  if (*largest < 1 || *largest > 65535) {
    throw ParameterError(fmt::format("PNM with the largest value {}; only 1 to 65535 are supported", *largest));
  }
  return Header{*width, *height, *largest, scanner.offset() + 1};
}

int channels_of(ByteSpan bytes) {
  return bytes[1] == '6' ? 3 : 1;
}

std::optional<ImageShape> shape(ByteSpan bytes) {
  const auto header = header_of(bytes);
  if (!header) return std::nullopt;
  const PixelType type = header->largest_value > 255 ? PixelType::u16 : PixelType::u8;
  return ImageShape{{header->width, header->height}, {type, channels_of(bytes)}};
}

std::string damage(ByteSpan content) {
  const auto header = header_of(content);
  if (!header) return "the file is truncated";
  const std::int64_t value_bytes = header->largest_value > 255 ? 2 : 1;
  const std::int64_t row_bytes =
      content[1] == '4' ? (header->width + 7) / 8 : header->width * channels_of(content) * value_bytes;
  const std::int64_t present = static_cast<std::int64_t>(content.size()) - static_cast<std::int64_t>(header->end);
  const bool is_complete = row_bytes == 0 || present / row_bytes >= header->height;
  return is_complete ? std::string() : "the file is truncated";
}

}  // namespace

const EncodedFormat& pnm_format() {
  static const EncodedFormat format{"PNM", "read_other", matches, shape, damage, nullptr};
  return format;
}

}  // namespace tilewright
