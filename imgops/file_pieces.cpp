#include "file_pieces.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "tilewright/core/error.hpp"

namespace tilewright {
namespace {

int flags_of(FilePieces::Direction direction) {
  switch (direction) {
    case FilePieces::Direction::read:
      return O_RDONLY;
    case FilePieces::Direction::write:
      return O_WRONLY;
    case FilePieces::Direction::make:
      return O_WRONLY | O_CREAT;
  }
  throw InternalError("flags_of: unknown direction");
}

}  // namespace

FilePieces::FilePieces(const std::string& path, Direction direction)
    : direction_(direction), file_(::open(path.c_str(), flags_of(direction) | O_CLOEXEC, S_IRUSR | S_IWUSR)) {
  if (file_ < 0) throw RuntimeError(std::strerror(errno));
}

FilePieces::~FilePieces() {
  if (file_ >= 0) ::close(file_);
}

void FilePieces::add(std::int64_t offset, std::byte* memory, std::size_t bytes) {
  constexpr std::size_t most = 1024;  // that the kernel takes
  if (offset != end_ || pieces_.size() == most) move();
  if (pieces_.empty()) begin_ = offset;
  pieces_.push_back({memory, bytes});
  end_ = offset + static_cast<std::int64_t>(bytes);
}

void FilePieces::finish() {
  move();
  // Only now some file systems say that there was no room.
  if (::close(std::exchange(file_, -1)) != 0) throw RuntimeError(std::strerror(errno));
}

void FilePieces::move() {
  std::span<iovec> left(pieces_);
  while (!left.empty()) {
    const auto count = static_cast<int>(left.size());
    const ssize_t moved = direction_ == Direction::read ? ::preadv(file_, left.data(), count, begin_)
                                                        : ::pwritev(file_, left.data(), count, begin_);
    if (moved == 0) throw RuntimeError(fmt::format("the file is truncated at byte {}", begin_));
    if (moved < 0 && errno != EINTR) throw RuntimeError(std::strerror(errno));
    if (moved > 0) left = without(left, static_cast<std::size_t>(moved));
  }
  pieces_.clear();
}

/// What is still to be moved after so many bytes.
std::span<iovec> FilePieces::without(std::span<iovec> pieces, std::size_t bytes) {
  begin_ += static_cast<std::int64_t>(bytes);
  while (!pieces.empty() && bytes >= pieces.front().iov_len) {
    bytes -= pieces.front().iov_len;
    pieces = pieces.subspan(1);
  }
  if (bytes > 0) {
    pieces.front().iov_base = static_cast<std::byte*>(pieces.front().iov_base) + bytes;
    pieces.front().iov_len -= bytes;
  }
  return pieces;
}

}  // namespace tilewright
