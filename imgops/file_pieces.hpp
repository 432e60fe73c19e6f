// Pieces of a file that go to, or come from, where pixels lie in memory.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tilewright {

/// Moves pieces in the order of the calls, with few calls of the system: what follows each other in the file is moved
/// at once, wherever it lies in memory. What it throws completes "...: ".
class FilePieces {
 public:
  enum class Direction : std::uint8_t {
    read,
    write,
    make,  ///< write, into a file that is made unless it is there
  };

  /// Throws RuntimeError if the file cannot be opened.
  FilePieces(const std::string& path, Direction direction);
  ~FilePieces();
  FilePieces(const FilePieces&) = delete;
  FilePieces& operator=(const FilePieces&) = delete;

  /// Throws RuntimeError if earlier pieces cannot be moved, or the file ends before them.
  void add(std::int64_t offset, std::byte* memory, std::size_t bytes);
  /// All pieces have been moved then, and the file is closed. Throws RuntimeError.
  void finish();

 private:
  void move();
  [[nodiscard]] std::span<iovec> without(std::span<iovec> pieces, std::size_t bytes);

  Direction direction_;
  int file_;
  std::vector<iovec> pieces_;
  std::int64_t begin_ = 0;  ///< of them, in the file
  std::int64_t end_ = -1;
};

}  // namespace tilewright
