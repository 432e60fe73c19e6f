#include "file_content.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "tilewright/core/error.hpp"

namespace tilewright {

namespace fs = std::filesystem;

void check_input_file(const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) {
    throw ParameterError(fmt::format("cannot read image '{}': {}", path, error ? error.message() : "no such file"));
  }
  if (fs::is_directory(status)) throw ParameterError(fmt::format("cannot read image '{}': it is a folder", path));
  if (!fs::is_regular_file(status)) {
    throw ParameterError(fmt::format("cannot read image '{}': it is no regular file", path));
  }
  if (fs::file_size(path, error) == 0 && !error) {
    throw ParameterError(fmt::format("cannot read image '{}': the file is empty", path));
  }
}

std::int64_t file_bytes(const std::string& path) {
  std::error_code error;
  const std::uintmax_t bytes = fs::file_size(path, error);
  if (error) throw RuntimeError(fmt::format("cannot read image '{}': {}", path, error.message()));
  return static_cast<std::int64_t>(bytes);
}

std::string file_identity(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  // Not its device, which every node numbers by itself.
  return fmt::format("{} {} {}.{:09}", status.st_ino, status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
}

Bytes read_beginning(const std::string& path, std::int64_t limit) {
  const std::int64_t size = std::min(limit, file_bytes(path));
  Bytes bytes(static_cast<std::size_t>(size));
  std::ifstream file(path, std::ios::binary);
  file.read(reinterpret_cast<char*>(bytes.data()), size);
  if (!file) throw RuntimeError(fmt::format("cannot read image '{}': {}", path, std::strerror(errno)));
  return bytes;
}

Bytes read_content(const std::string& path) {
  return read_beginning(path, file_bytes(path));
}

std::uint32_t big_endian(ByteSpan bytes, std::size_t offset, std::size_t count) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < count; ++i) value = value << 8 | bytes[offset + i];
  return value;
}

}  // namespace tilewright
