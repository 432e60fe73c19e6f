#include "tilewright/core/whole_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tilewright/core/error.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

/// Behind all links; one that is not there yet may be none.
fs::path target_of(const std::string& path) {
  std::error_code error;
  const fs::path real = fs::canonical(path, error);
  return error ? fs::path(path) : real;
}

/// A device, a pipe, or the file into which this process prints: what is printed later is to come to it too.
bool is_written_in_place(const fs::path& target) {
  std::error_code error;
  if (!fs::exists(target, error)) return false;
  return !fs::is_regular_file(target, error) || fs::equivalent(target, "/dev/stdout", error) ||
         fs::equivalent(target, "/dev/stderr", error);
}

fs::path place_aside(const fs::path& target) {
  return target.string() + ".partial";
}

[[nodiscard]] bool write(const fs::path& path, std::string_view text) {
  std::ofstream file(path, std::ios::trunc);
  file << text;
  file.close();
  return !file.fail();
}

void remove_file(const fs::path& path) {
  std::error_code error;
  if (fs::is_regular_file(path, error)) fs::remove(path, error);
}

[[nodiscard]] bool write_aside(const fs::path& target, std::string_view text) {
  const fs::path aside = place_aside(target);
  std::error_code error;
  if (write(aside, text)) {
    fs::rename(aside, target, error);
    if (!error) return true;
  }
  remove_file(aside);
  return false;
}

[[nodiscard]] bool can_write_aside(const fs::path& target) {
  const fs::path aside = place_aside(target);
  const bool is_written = write(aside, {});
  remove_file(aside);
  return is_written;
}

[[noreturn]] void refuse(const std::string& path) {
  throw RuntimeError(fmt::format("cannot write {}", path));
}

}  // namespace

void write_whole(const std::string& path, std::string_view text) {
  const fs::path target = target_of(path);
  if (!(is_written_in_place(target) ? write(target, text) : write_aside(target, text))) refuse(path);
}

void check_writes_whole(const std::string& path) {
  const fs::path target = target_of(path);
  std::error_code error;
  if (fs::is_directory(target, error)) refuse(path);
  // A pipe that is opened waits for its reader.
  if (!(is_written_in_place(target) ? ::access(target.c_str(), W_OK) == 0 : can_write_aside(target))) refuse(path);
}

}  // namespace tilewright
