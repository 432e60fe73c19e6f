// A folder of a test's own, gone when the test is over.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tilewright/core/temporary_folder.hpp"

namespace tilewright::test {

class TemporaryFolder : public tilewright::TemporaryFolder {
 public:
  /// Writes a file in the folder and returns its path.
  [[nodiscard]] std::filesystem::path file(const std::string& name, const std::string& content) const {
    std::ofstream stream(path() / name, std::ios::binary);
    stream << content;
    return path() / name;
  }
};

inline std::string content_of(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace tilewright::test
