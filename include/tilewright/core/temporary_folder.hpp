// A folder for files that nobody keeps.
#pragma once

#include <filesystem>

namespace tilewright {

/// Goes, with all that is in it, when this object does.
class TemporaryFolder {
 public:
  /// In the folder that TMPDIR names, else /tmp. Throws RuntimeError if it cannot be made.
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace tilewright
