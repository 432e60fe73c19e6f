#include "tilewright/core/whole_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <span>

#include "tilewright/core/error.hpp"
#include "tilewright/core/pending_file.hpp"
#include "tilewright/core/real_path.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

/// A device, a pipe, or the file into which this process prints: what is printed later is to come to it too.
bool is_written_in_place(const fs::path& target) {
  std::error_code error;
  if (!fs::exists(target, error) || fs::is_directory(target, error)) return false;
  return !fs::is_regular_file(target, error) || fs::equivalent(target, "/dev/stdout", error) ||
         fs::equivalent(target, "/dev/stderr", error);
}

[[nodiscard]] bool write_in_place(const fs::path& target, std::string_view text) {
  std::ofstream file(target, std::ios::trunc);
  file << text;
  file.close();
  return !file.fail();
}

[[noreturn]] void refuse(const std::string& path) {
  throw RuntimeError(fmt::format("cannot write {}", path));
}

}  // namespace

void write_whole(const std::string& path, std::string_view text) {
  const fs::path target = real_path(path);
  if (is_written_in_place(target)) {
    if (!write_in_place(target, text)) refuse(path);
    return;
  }
  PendingFile file(path);
  file.write(std::as_bytes(std::span(text)));
  file.check_stored();
  file.commit();
}

void check_writes_whole(const std::string& path) {
  const fs::path target = real_path(path);
  if (is_written_in_place(target)) {
    // A pipe that is opened waits for its reader.
    if (::access(target.c_str(), W_OK) != 0) refuse(path);
    return;
  }
  const PendingFile probe(path);
}

}  // namespace tilewright
