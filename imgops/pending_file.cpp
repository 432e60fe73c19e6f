#include "pending_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "tilewright/core/error.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

/// The file that a symbolic link leads to is replaced, not the link.
std::string followed(const std::string& path) {
  std::error_code error;
  if (!fs::is_symlink(path, error)) return path;
  const fs::path followed = fs::canonical(path, error);
  return error ? path : followed.string();
}

void check_replaceable(const std::string& target) {
  std::error_code error;
  const fs::file_status status = fs::status(target, error);
  if (!fs::exists(status) || fs::is_regular_file(status)) return;
  const char* kind = fs::is_directory(status) ? "a folder" : "a device or the like";
  throw RuntimeError(fmt::format("cannot write {}: it is {}; name a file", target, kind));
}

/// A new file beside the target; the first of .tilewright-PID-0.part, -1.part, ... that does not exist.
std::string create_beside(const std::string& target) {
  const fs::path folder = fs::path(target).parent_path();
  constexpr int attempts = 10000;
  for (int i = 0; i < attempts; ++i) {
    const std::string path = (folder / fmt::format(".tilewright-{}-{}.part", ::getpid(), i)).string();
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file >= 0) {
      ::close(file);
      return path;
    }
    if (errno != EEXIST) {
      throw RuntimeError(fmt::format("cannot write {}: no file can be made in the folder '{}': {}", target,
                                     folder.empty() ? "." : folder.string(), std::strerror(errno)));
    }
  }
  throw RuntimeError(fmt::format("cannot write {}: remove the old .tilewright-*.part files beside it", target));
}

}  // namespace

PendingFile::PendingFile(const std::string& target) : target_(followed(target)) {
  check_replaceable(target_);
  path_ = create_beside(target_);
}

PendingFile::~PendingFile() {
  if (!committed_) ::unlink(path_.c_str());
}

void PendingFile::write(std::span<const std::byte> content) const {
  const int file = ::open(path_.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC);
  int error = file < 0 ? errno : 0;
  while (error == 0 && !content.empty()) {
    const ssize_t written = ::write(file, content.data(), content.size());
    if (written >= 0)
      content = content.subspan(static_cast<std::size_t>(written));
    else if (errno != EINTR)
      error = errno;
  }
  if (file >= 0 && ::close(file) != 0 && error == 0) error = errno;
  if (error != 0) throw RuntimeError(fmt::format("cannot write {}: {}", target_, std::strerror(error)));
}

void PendingFile::commit() {
  if (::rename(path_.c_str(), target_.c_str()) != 0) {
    throw RuntimeError(fmt::format("cannot write {}: {}", target_, std::strerror(errno)));
  }
  committed_ = true;
}

}  // namespace tilewright
