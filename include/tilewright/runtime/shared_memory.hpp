// Memory that the ranks of the root's node have in common.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "tilewright/runtime/communicator.hpp"

namespace tilewright {

/// Memory without a name, which goes when the last process that has it lets it go, or ends, in whatever way. So no rank
/// has to come to an end together with others, and an image in it can outlive a plan.
class SharedMemory {
 public:
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  ~SharedMemory();

  struct Made;
  /// Made by the root and mapped by all ranks that can do it; none on others. All ranks know how many of them, from the
  /// root on, have it: `sharing_ranks`. Collective. Throws RuntimeError, on all ranks, if the root gets no memory.
  [[nodiscard]] static Made make(const Communicator& communicator, std::int64_t bytes);

  [[nodiscard]] std::byte* data() const { return data_; }
  [[nodiscard]] std::int64_t bytes() const { return bytes_; }

 private:
  SharedMemory(std::byte* data, std::int64_t bytes);
  [[nodiscard]] static std::shared_ptr<SharedMemory> mapped(int file, std::int64_t bytes);
  /// What the root writes to the beginning tells the others that they have found it.
  [[nodiscard]] static std::shared_ptr<SharedMemory> of_root(int file, std::int64_t bytes, std::uint64_t mark);
  [[nodiscard]] static std::shared_ptr<SharedMemory> of_others(int file, std::int64_t bytes, std::uint64_t mark);
  std::byte* data_ = nullptr;
  std::int64_t bytes_ = 0;
};

struct SharedMemory::Made {
  std::shared_ptr<SharedMemory> memory;
  int sharing_ranks = 1;
};

/// At least so much, for the communicator's sharing ranks; none on others. What the communicator has is used again, as
/// freed memory is, unless the root still has an image in it: the pages of new memory take longer to come than most
/// transfers. Collective. Throws RuntimeError as make() does, or if not all of those ranks could map it.
[[nodiscard]] std::shared_ptr<SharedMemory> shared_memory(const Communicator& communicator, std::int64_t bytes);

/// By trying. Collective.
[[nodiscard]] int count_sharing_ranks(const Communicator& communicator);

}  // namespace tilewright
