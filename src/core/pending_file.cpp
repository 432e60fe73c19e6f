#include "tilewright/core/pending_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <exception>
#include <filesystem>
#include <utility>

#include "removal_after_death.hpp"
#include "tilewright/core/error.hpp"
#include "tilewright/core/real_path.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

/// The file that a symbolic link leads to is replaced, not the link. Others keep the name by which messages call them.
std::string followed(const std::string& path) {
  std::error_code error;
  return fs::is_symlink(path, error) ? real_path(path) : path;
}

void check_replaceable(const std::string& target) {
  std::error_code error;
  const fs::file_status status = fs::status(target, error);
  if (!fs::exists(status) || fs::is_regular_file(status)) return;
  const char* kind = fs::is_directory(status) ? "a folder" : "a device or the like";
  throw RuntimeError(fmt::format("cannot write {}: it is {}; name a file", target, kind));
}

std::string folder_of(const std::string& target) {
  const std::string folder = fs::path(target).parent_path().string();
  return folder.empty() ? "." : folder;
}

/// By what errno says.
RuntimeError no_file_in(const std::string& folder, const std::string& target) {
  return RuntimeError(
      fmt::format("cannot write {}: no file can be made in the folder '{}': {}", target, folder, std::strerror(errno)));
}

/// The path of an open file that may have no name.
std::string path_of(int file) {
  return fmt::format("/proc/self/fd/{}", file);
}

/// It vanishes with the process, however that ends. Negative where there can be none: not every file system can do that
/// (NFS).
int open_without_name(const std::string& folder) {
  return ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
}

bool has_files_without_name(const std::string& folder) {
  const int file = open_without_name(folder);
  if (file >= 0) ::close(file);
  return file >= 0;
}

/// Calls `make` with the names .tilewright-PID-0.part, -1.part, ... beside the target, until it succeeds or fails for
/// another reason than that the name is taken.
template <typename Make>
std::string make_beside(const std::string& target, const Make& make) {
  constexpr int attempts = 10000;
  for (int i = 0; i < attempts; ++i) {
    const std::string path =
        (fs::path(target).parent_path() / fmt::format(".tilewright-{}-{}.part", ::getpid(), i)).string();
    if (make(path.c_str())) return path;
    if (errno != EEXIST) throw no_file_in(folder_of(target), target);
  }
  throw RuntimeError(fmt::format("cannot write {}: remove the old .tilewright-*.part files beside it", target));
}

}  // namespace

PendingFile::PendingFile(const std::string& target) : target_(followed(target)) {
  check_replaceable(target_);
  file_ = open_without_name(folder_of(target_));
  if (file_ >= 0) {
    path_ = path_of(file_);
    return;
  }
  path_ = make_beside(target_, [&](const char* path) {
    file_ = ::open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    return file_ >= 0;
  });
  is_named_ = true;
}

std::unique_ptr<PendingFile> PendingFile::visible(const std::string& target, Survivor survivor) {
  std::string followed_target = followed(target);
  check_replaceable(followed_target);
  // A name that was in use before may still be known to other nodes, as that of a file that is gone.
  const auto now = std::chrono::system_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
  const fs::path name = fmt::format("{}{}.part", mark_of_this_process(), now);
  const std::string folder = folder_of(followed_target);
  std::unique_ptr<PendingFile> file(new PendingFile(std::move(followed_target), (fs::path(folder) / name).string()));
  if (survivor == Survivor::removes) file->removal_ = std::make_unique<RemovalAfterDeath>(file->path_);
  file->file_ = ::open(file->path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file->file_ < 0) throw no_file_in(folder, target);
  file->is_named_ = true;
  return file;
}

std::string PendingFile::mark_of_this_process() {
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) host.front() = '\0';
  return fmt::format(".tilewright-{}-{}-", host.data(), ::getpid());
}

void PendingFile::discard_visible(const std::string& target, const std::string& mark) noexcept {
  if (mark.empty()) return;
  try {
    for (const fs::directory_entry& entry : fs::directory_iterator(folder_of(followed(target)))) {
      const std::string name = entry.path().filename().string();
      if (name.starts_with(mark) && name.ends_with(".part")) ::unlink(entry.path().c_str());
    }
  } catch (const std::exception&) {
    // Who calls this ends the run: a folder that cannot be read is nothing more to tell.
  }
}

PendingFile::PendingFile(std::string target, std::string path) : target_(std::move(target)), path_(std::move(path)) {}

PendingFile::~PendingFile() {
  if (file_ >= 0) ::close(file_);
  if (is_named_) ::unlink(path_.c_str());
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

void PendingFile::check_stored() const {
  // A disk of this host has told already; to wait for it would take much longer than writing did.
  if (!is_named_ || has_files_without_name(folder_of(path_))) return;
  if (::fsync(file_) != 0) {
    throw RuntimeError(fmt::format("cannot write {}: {}", target_, std::strerror(errno)));
  }
}

void PendingFile::commit() {
  if (!is_named_) {
    path_ = make_beside(target_, [&](const char* path) {
      return ::linkat(AT_FDCWD, path_of(file_).c_str(), AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0;
    });
    is_named_ = true;
  }
  if (::rename(path_.c_str(), target_.c_str()) != 0) {
    throw RuntimeError(fmt::format("cannot write {}: {}", target_, std::strerror(errno)));
  }
  is_named_ = false;
}

}  // namespace tilewright
