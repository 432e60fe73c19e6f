#include "raster_memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <new>

#include "tilewright/core/rounding.hpp"

namespace tilewright {
namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;
constexpr std::size_t page = 4096;
constexpr std::size_t line_bytes = 64;
/// A block may be larger than what is asked for by this part: halos make the rasters of one image differ a little.
constexpr std::size_t parts_too_large = 8;

/// Maps more than that, for where it begins is the system's choice, and cuts both ends off.
std::byte* map(std::size_t bytes) {
  const std::size_t length = bytes + huge_page;
  void* const found = mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (found == MAP_FAILED) throw std::bad_alloc();
  auto* const begin = static_cast<std::byte*>(found);
  const std::size_t before = (huge_page - reinterpret_cast<std::uintptr_t>(found) % huge_page) % huge_page;
  std::byte* const data = begin + before;
  if (before > 0) munmap(begin, before);
  if (before < huge_page) munmap(data + bytes, huge_page - before);
  madvise(data, bytes, MADV_HUGEPAGE);  // a wish: failing is no error
  return data;
}

/// Tiles of one image differ by their halos, and the next run begins with the largest again: small blocks are of few
/// sizes, so that all of them fit.
std::size_t size_of_block(std::size_t bytes) {
  const bool is_mapped = bytes >= smallest_mapped_bytes;
  return rounded_up(bytes, is_mapped ? page : std::max(line_bytes, std::bit_floor(bytes) / parts_too_large));
}

/// Throws std::bad_alloc.
std::byte* get(std::size_t bytes) {
  if (bytes >= smallest_mapped_bytes) return map(bytes);
  auto* const data = static_cast<std::byte*>(std::aligned_alloc(line_bytes, bytes));
  if (data == nullptr) throw std::bad_alloc();
  return data;
}

void release(std::byte* data, std::size_t bytes) {
  bytes >= smallest_mapped_bytes ? (void)munmap(data, bytes) : std::free(data);
}

}  // namespace

RasterMemory::~RasterMemory() {
  while (!kept_.empty()) release_largest();
}

RasterMemory::Block RasterMemory::take(std::size_t bytes) {
  bytes = size_of_block(bytes);
  const std::lock_guard lock(mutex_);
  const auto too_large = kept_.upper_bound(bytes + bytes / parts_too_large);
  const auto newest = std::max_element(kept_.lower_bound(bytes), too_large,
                                       [](const auto& a, const auto& b) { return a.second.turn < b.second.turn; });
  if (newest != too_large) {
    const Block block{newest->second.data, newest->first};
    kept_.erase(newest);
    kept_bytes_ -= block.bytes;
    used_bytes_ += block.bytes;
    return block;
  }
  const std::size_t most_bytes = std::max(most_used_bytes_, used_bytes_ + bytes);
  while (!kept_.empty() && used_bytes_ + bytes + kept_bytes_ > most_bytes) release_largest();
  const Block block{get(bytes), bytes};
  used_bytes_ += bytes;
  most_used_bytes_ = most_bytes;  // not if the system has no more
  return block;
}

void RasterMemory::give_back(const Block& block) noexcept {
  const std::lock_guard lock(mutex_);
  used_bytes_ -= block.bytes;
  try {
    kept_.emplace(block.bytes, Kept{block.data, ++turn_});
    kept_bytes_ += block.bytes;
  } catch (const std::bad_alloc&) {
    release(block.data, block.bytes);
  }
}

void RasterMemory::release_largest() {
  const auto largest = std::prev(kept_.end());
  release(largest->second.data, largest->first);
  kept_bytes_ -= largest->first;
  kept_.erase(largest);
}

std::size_t RasterMemory::kept_bytes() const {
  const std::lock_guard lock(mutex_);
  return kept_bytes_;
}

RasterMemory& raster_memory(std::size_t bytes) {
  // Rasters may live longer than anything that ends with the program.
  static auto* const mapped = new RasterMemory;
  static auto* const small = new RasterMemory;
  return size_of_block(bytes) >= smallest_mapped_bytes ? *mapped : *small;
}

}  // namespace tilewright
