#include <cstdlib>

#include "tilewright/benchdb/store.hpp"
#include "tilewright/core/error.hpp"

namespace tilewright {
namespace {

/// The value of an environment variable; empty if it is not set.
std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

}  // namespace

std::filesystem::path default_database(const std::string& explicit_path) {
  if (!explicit_path.empty()) return explicit_path;
  if (const std::string chosen = environment("TILEWRIGHT_DB"); !chosen.empty()) return chosen;
  const std::filesystem::path inside = std::filesystem::path("tilewright") / "bench.sqlite";
  if (const std::string data = environment("XDG_DATA_HOME"); !data.empty()) return data / inside;
  if (const std::string home = environment("HOME"); !home.empty()) return home / (".local" / ("share" / inside));
  throw ParameterError(
      "no place for the database of machines is known, for HOME is not set: name one with --db (--tw-db of an "
      "application) or TILEWRIGHT_DB");
}

bool has_database(const std::filesystem::path& path) {
  std::error_code error;
  const bool is_empty = std::filesystem::is_regular_file(path, error) && std::filesystem::file_size(path, error) == 0;
  return !is_empty && std::filesystem::exists(path, error);
}

}  // namespace tilewright
