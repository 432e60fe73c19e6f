#include "folder_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <stdexcept>

namespace tilewright::regret {

FolderLock::FolderLock(const std::filesystem::path& folder)
    : file_(open((folder / ".lock").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0666)) {
  if (file_ < 0 || flock(file_, LOCK_EX) != 0) {
    throw std::runtime_error(fmt::format("{} cannot be locked", folder.string()));
  }
}

FolderLock::~FolderLock() {
  close(file_);
}

}  // namespace tilewright::regret
