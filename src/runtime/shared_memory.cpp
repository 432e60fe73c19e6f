#include "tilewright/runtime/shared_memory.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "communicator_implementation.hpp"
#include "tilewright/core/error.hpp"
#include "tilewright/core/rounding.hpp"
#include "tilewright/core/units.hpp"

namespace tilewright {
namespace {

constexpr std::int64_t page = 4096;
constexpr std::int64_t huge_page = std::int64_t{2} << 20;

std::int64_t in_pages(std::int64_t bytes) {
  const std::int64_t unit = bytes >= huge_page ? huge_page : page;
  return rounded_up(bytes, unit);
}

/// A file that is closed at the end, or none.
class OpenFile {
 public:
  explicit OpenFile(int number) : number_(number) {}
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() {
    if (number_ >= 0) close(number_);
  }
  [[nodiscard]] int number() const { return number_; }

 private:
  int number_;
};

/// Where the root's memory is found, and what stands in it, for another process may have the same number elsewhere.
struct Address {
  int process = 0;
  int file = 0;
  std::uint64_t mark = 0;
};

std::string to_text(const Address& address) {
  return fmt::format("{} {} {}", address.process, address.file, address.mark);
}

Address address_from(const std::string& text) {
  Address address;
  std::istringstream(text) >> address.process >> address.file >> address.mark;
  return address;
}

/// What becomes of the memory that a communicator keeps.
struct Reuse {
  std::vector<std::size_t> staying;  ///< by index
  bool takes_last = false;           ///< the last of these is used again
};

/// The root knows where it has images. A program may hold the results of one run until the next one is done, so there
/// is one piece of memory to spare; of what is too small for a run nothing is kept.
Reuse reuse_of(const std::vector<std::shared_ptr<SharedMemory>>& all, std::int64_t bytes) {
  Reuse reuse;
  std::vector<std::size_t> free;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].use_count() > 1)
      reuse.staying.push_back(i);
    else if (all[i]->bytes() >= bytes)
      free.push_back(i);
  }
  if (free.empty()) return reuse;
  std::sort(free.begin(), free.end(), [&](std::size_t a, std::size_t b) { return all[a]->bytes() < all[b]->bytes(); });
  if (free.size() > 1) reuse.staying.push_back(free.back());
  reuse.staying.push_back(free.front());
  reuse.takes_last = true;
  return reuse;
}

std::string to_text(const Reuse& reuse) {
  return fmt::format("{:d} {}", reuse.takes_last, fmt::join(reuse.staying, " "));
}

Reuse reuse_from(const std::string& text) {
  Reuse reuse;
  std::istringstream stream(text);
  stream >> reuse.takes_last;
  for (std::size_t i = 0; stream >> i;) reuse.staying.push_back(i);
  return reuse;
}

constexpr const char* file_name = "tilewright";

/// Nodes that are containers or emulated may share a kernel, and so could memory, but not in what a transfer takes.
bool is_on_root_node(const Communicator& communicator) {
  const std::vector<int>& nodes = communicator.implementation().node_index_of_rank;
  return nodes[static_cast<std::size_t>(communicator.rank())] == nodes.front();
}

/// The root's file, if it is one: in another container, something else has that path, or nothing.
int open_root_file(const Address& address) {
  const std::string path = fmt::format("/proc/{}/fd/{}", address.process, address.file);
  std::array<char, 64> target{};
  const bool is_link = readlink(path.c_str(), target.data(), target.size() - 1) > 0;
  if (!is_link || !std::string_view(target.data()).starts_with(fmt::format("/memfd:{}", file_name))) return -1;
  return open(path.c_str(), O_RDWR | O_CLOEXEC);
}

}  // namespace

SharedMemory::SharedMemory(std::byte* data, std::int64_t bytes) : data_(data), bytes_(bytes) {}

SharedMemory::~SharedMemory() {
  munmap(data_, static_cast<std::size_t>(bytes_));
}

std::shared_ptr<SharedMemory> SharedMemory::mapped(int file, std::int64_t bytes) {
  const auto size = static_cast<std::size_t>(bytes);
  void* data = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (data == MAP_FAILED) return nullptr;
  if (bytes >= huge_page) madvise(data, size, MADV_HUGEPAGE);  // a wish, as for rasters
  return std::shared_ptr<SharedMemory>(new SharedMemory(static_cast<std::byte*>(data), bytes));
}

std::shared_ptr<SharedMemory> SharedMemory::of_root(int file, std::int64_t bytes, std::uint64_t mark) {
  if (file < 0 || ftruncate(file, bytes) != 0) return nullptr;
  auto memory = mapped(file, bytes);
  if (memory) std::memcpy(memory->data(), &mark, sizeof(mark));
  return memory;
}

std::shared_ptr<SharedMemory> SharedMemory::of_others(int file, std::int64_t bytes, std::uint64_t mark) {
  if (file < 0 || lseek(file, 0, SEEK_END) != bytes) return nullptr;
  auto memory = mapped(file, bytes);
  const bool is_it = memory && std::memcmp(memory->data(), &mark, sizeof(mark)) == 0;
  return is_it ? memory : nullptr;
}

SharedMemory::Made SharedMemory::make(const Communicator& communicator, std::int64_t bytes) {
  bytes = in_pages(bytes);
  std::shared_ptr<SharedMemory> memory;
  const OpenFile own(communicator.is_root() ? memfd_create(file_name, MFD_CLOEXEC) : -1);
  Address address{static_cast<int>(getpid()), own.number(), std::random_device()()};
  if (communicator.is_root()) memory = of_root(own.number(), bytes, address.mark);
  const std::string found_at = communicator.broadcast(memory ? to_text(address) : std::string());
  if (found_at.empty()) {
    throw RuntimeError(fmt::format("the system gives no {} of memory that ranks can share", format_bytes(bytes)));
  }
  if (!communicator.is_root() && is_on_root_node(communicator)) {
    address = address_from(found_at);
    const OpenFile theirs(open_root_file(address));
    memory = of_others(theirs.number(), bytes, address.mark);
  }
  const std::vector<std::string> has_it = communicator.gather(memory ? "yes" : "no");
  const auto end = std::find(has_it.begin(), has_it.end(), "no");
  const int sharing = communicator.of_root(static_cast<int>(end - has_it.begin()));
  if (communicator.rank() >= sharing) memory.reset();
  return {std::move(memory), sharing};
}

std::shared_ptr<SharedMemory> shared_memory(const Communicator& communicator, std::int64_t bytes) {
  std::vector<std::shared_ptr<SharedMemory>>& all = communicator.implementation().shared_memories;
  const std::string decided = communicator.broadcast(communicator.is_root() ? to_text(reuse_of(all, bytes)) : "");
  const Reuse reuse = reuse_from(decided);
  std::vector<std::shared_ptr<SharedMemory>> staying;
  for (const std::size_t i : reuse.staying) staying.push_back(all[i]);
  all = std::move(staying);
  if (reuse.takes_last) return all.back();
  SharedMemory::Made made = SharedMemory::make(communicator, bytes);
  if (made.sharing_ranks < communicator.sharing_ranks()) {
    throw RuntimeError(
        fmt::format("rank {} gets no part of {} of memory that the ranks of its node share: do without "
                    "(--tw-sharing=off)",
                    made.sharing_ranks, format_bytes(bytes)));
  }
  all.push_back(std::move(made.memory));
  return all.back();
}

int count_sharing_ranks(const Communicator& communicator) {
  try {
    return SharedMemory::make(communicator, 1).sharing_ranks;
  } catch (const RuntimeError&) {
    return 1;  // and so on all ranks
  }
}

}  // namespace tilewright
