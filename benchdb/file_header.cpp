#include "file_header.hpp"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <string_view>

#include "tilewright/core/error.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

using Header = std::array<char, 100>;
constexpr std::string_view sqlite_magic("SQLite format 3\0", 16);
constexpr std::size_t user_version_offset = 60;
constexpr std::size_t application_id_offset = 68;

std::uint32_t big_endian(const Header& header, std::size_t offset) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(header[offset + i]);
  return value;
}

[[noreturn]] void refuse(const fs::path& path, const std::string& why) {
  throw RuntimeError(fmt::format("database '{}': {}", path.string(), why));
}

Header read_header(const fs::path& path) {
  Header header{};
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) refuse(path, fmt::format("cannot be read ({}): check its permissions", std::strerror(errno)));
  file.read(header.data(), header.size());
  if (static_cast<std::size_t>(file.gcount()) < header.size()) header.fill('\0');  // too short to be a database
  return header;
}

}  // namespace

FileState inspect_file(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) return FileState::missing;
  if (error) refuse(path, fmt::format("cannot be looked at ({}): check its folder", error.message()));
  if (fs::is_directory(status)) refuse(path, "is a folder: name a file inside it, for example bench.sqlite");
  if (!fs::is_regular_file(status)) refuse(path, "is not a regular file: name another");
  if (fs::file_size(path, error) == 0 && !error) return FileState::empty;

  const Header header = read_header(path);
  if (std::string_view(header.data(), sqlite_magic.size()) != sqlite_magic) {
    refuse(path, "is not a database, or its head is damaged; it is left as it is: name another file, or move it away");
  }
  const std::uint32_t id = big_endian(header, application_id_offset);
  if (id != database_application_id) {
    refuse(path, fmt::format("is a database of another program (application id {:#010x}); it is left as it is: name "
                             "another file",
                             id));
  }
  const std::uint32_t version = big_endian(header, user_version_offset);
  if (version > database_schema_version) {
    refuse(path,
           fmt::format("was written by a newer Tilewright (schema {}, this one knows up to {}): use that version, "
                       "or name another file",
                       version, database_schema_version));
  }
  if (version == 0) refuse(path, "is damaged (it has no schema version): move it away and calibrate again");
  return FileState::ours;
}

}  // namespace tilewright
