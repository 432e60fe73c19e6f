// One job at a time reads and writes the files of a folder.
#pragma once

#include <filesystem>

namespace tilewright::regret {

/// Held for as long as a job reads and writes the folder's files.
class FolderLock {
 public:
  /// Throws std::runtime_error if the folder cannot be locked.
  explicit FolderLock(const std::filesystem::path& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int file_;
};

}  // namespace tilewright::regret
