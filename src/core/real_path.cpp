#include "tilewright/core/real_path.hpp"

#include <filesystem>
#include <optional>

namespace tilewright {
namespace {

namespace fs = std::filesystem;

constexpr int most_links = 40;  // as Linux follows

/// Of a file that is not there: behind the links to it. None if they do not end.
std::optional<fs::path> place_of_absent(fs::path path) {
  std::error_code error;
  for (int links = 0; links < most_links; ++links) {
    if (!fs::is_symlink(path, error)) return path;
    path = path.parent_path() / fs::read_symlink(path, error);
    if (error) return std::nullopt;
  }
  return std::nullopt;
}

std::optional<fs::path> followed(const fs::path& path) {
  std::error_code error;
  fs::path real;
  if (fs::exists(path, error)) {
    real = fs::canonical(path, error);
  } else if (const std::optional<fs::path> place = place_of_absent(path)) {
    real = fs::weakly_canonical(*place, error);
  } else {
    return std::nullopt;
  }
  if (error) return std::nullopt;
  return real;
}

}  // namespace

std::string real_path(const std::string& path) {
  std::error_code error;
  const fs::path absolute = fs::absolute(path, error);
  if (error) return path;
  return followed(absolute).value_or(absolute.lexically_normal()).string();
}

}  // namespace tilewright
