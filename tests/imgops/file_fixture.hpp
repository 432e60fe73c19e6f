// Files for the tests of image files.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <set>
#include <string>

#include "support/temporary_folder.hpp"
#include "test_images.hpp"
#include "tilewright/core/error.hpp"
#include "tilewright/imgops/files.hpp"

namespace tilewright::test {

/// Each test has a folder of its own, gone at its end.
class FileTest : public testing::Test {
 protected:
  [[nodiscard]] std::string path(const std::string& name) const { return folder_.path() / name; }

  std::string write(const std::string& name, const std::string& content) const {
    return folder_.file(name, content);
  }

  [[nodiscard]] std::set<std::string> names() const {
    std::set<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) found.insert(entry.path().filename());
    return found;
  }

 private:
  TemporaryFolder folder_;
};

/// What trying to read a file comes to.
struct ReadResult {
  enum class Stage { header, pixels, read } reached = Stage::header;
  int exit_status = 0;
  std::string message;
};

inline ReadResult try_to_read(const std::string& path) {
  ReadResult result;
  try {
    const auto source = image_file(path);
    result.reached = ReadResult::Stage::pixels;
    const Raster raster = source->load({2, 1});
    EXPECT_EQ(raster.shape(), source->shape()) << path;
    result.reached = ReadResult::Stage::read;
  } catch (const Error& error) {
    result.exit_status = exit_status(error);
    result.message = error.what();
  }
  return result;
}

// --- PNG files written by hand, with any header ---

inline std::string big_endian(std::uint32_t value) {
  std::string text;
  for (int shift = 24; shift >= 0; shift -= 8) text.push_back(static_cast<char>(value >> shift & 0xFF));
  return text;
}

inline std::uint32_t crc32(const std::string& bytes) {
  std::uint32_t sum = 0xFFFFFFFF;
  for (const char byte : bytes) {
    sum ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) sum = (sum & 1) != 0 ? sum >> 1 ^ 0xEDB88320U : sum >> 1;
  }
  return ~sum;
}

inline std::string png_chunk(const std::string& type, const std::string& data) {
  return big_endian(static_cast<std::uint32_t>(data.size())) + type + data + big_endian(crc32(type + data));
}

/// zlib's format without compression, for up to 65535 bytes.
inline std::string stored(const std::string& data) {
  const auto size = static_cast<unsigned>(data.size());
  std::string text{"\x78\x01\x01"};
  for (const unsigned word : {size, ~size}) {
    text.push_back(static_cast<char>(word & 0xFF));
    text.push_back(static_cast<char>(word >> 8 & 0xFF));
  }
  std::uint32_t a = 1;
  std::uint32_t b = 0;
  for (const char byte : data) {
    a = (a + static_cast<unsigned char>(byte)) % 65521;
    b = (b + a) % 65521;
  }
  return text + data + big_endian(b << 16 | a);
}

struct PngOptions {
  std::uint32_t width = 5;
  std::uint32_t height = 3;
  int bits = 8;
  int colour_type = 0;             ///< 0 gray, 2 RGB, 3 palette, 4 gray and alpha, 6 RGB and alpha
  std::string before_pixels = {};  ///< further chunks
};

inline std::string png(const PngOptions& options) {
  const std::array<unsigned, 7> samples{1, 0, 3, 1, 2, 0, 4};
  const unsigned bits_a_pixel =
      samples[static_cast<std::size_t>(options.colour_type)] * static_cast<unsigned>(options.bits);
  std::string rows;
  for (std::uint32_t y = 0; y < options.height; ++y) {
    rows.push_back('\0');  // no filter
    for (unsigned i = 0; i < (options.width * bits_a_pixel + 7) / 8; ++i) rows.push_back(static_cast<char>(y + i));
  }
  const std::string header = big_endian(options.width) + big_endian(options.height) + static_cast<char>(options.bits) +
                             static_cast<char>(options.colour_type) + std::string(3, '\0');
  return "\x89PNG\r\n\x1A\n" + png_chunk("IHDR", header) + options.before_pixels + png_chunk("IDAT", stored(rows)) +
         png_chunk("IEND", "");
}

}  // namespace tilewright::test
