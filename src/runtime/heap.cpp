#include "heap.hpp"

#include <malloc.h>
#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <limits>
#include <mutex>
#include <vector>

#include "tilewright/core/rounding.hpp"

namespace tilewright {
namespace {

constexpr std::uintptr_t huge_page = std::uintptr_t{2} << 20;
/// Of addresses, not of memory: what is never touched takes none.
constexpr std::size_t reserved_bytes = std::size_t{1} << 30;
/// No smaller piece is taken for an image of which anybody would notice (src/core/raster_memory.hpp).
constexpr std::size_t smallest_hole_bytes = std::size_t{64} << 10;
/// Larger images are mapped by themselves (the same).
constexpr std::size_t largest_hole_bytes = std::size_t{4} << 20;

/// Of what is free before that address, no piece is left that an image might be given: they are kept, and never
/// touched. In small pages, an image would be scattered in up to twice the time.
void fill_holes_before(std::uintptr_t first) {
  static std::vector<void*> kept;  // for good: who looks for leaks finds them here
  const std::size_t free_bytes = mallinfo2().fordblks;
  std::size_t kept_bytes = 0;
  for (std::size_t bytes = largest_hole_bytes; bytes >= smallest_hole_bytes; bytes /= 2) {
    while (kept_bytes < free_bytes) {
      void* const hole = std::malloc(bytes);
      if (hole == nullptr || reinterpret_cast<std::uintptr_t>(hole) >= first) {
        std::free(hole);
        break;
      }
      kept.push_back(hole);
      kept_bytes += bytes;
    }
  }
}

/// The wish holds for a range of addresses, so they are taken and returned at once, but for what lies before the first
/// huge page. Where there are fewer, rasters' own wishes are what is left.
void wish_for_huge_pages() {
  void* const reserved = std::malloc(reserved_bytes);
  if (reserved == nullptr) return;
  const auto begin = reinterpret_cast<std::uintptr_t>(reserved);
  const std::uintptr_t first = rounded_up(begin, huge_page);
  const std::uintptr_t last = (begin + reserved_bytes) / huge_page * huge_page;
  madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);  // failing is no error

  [[maybe_unused]] static void* const before = std::realloc(reserved, first - begin);
  fill_holes_before(first);
}

}  // namespace

void prepare_heap() {
  static std::once_flag is_prepared;  // a program may have one session after another
  std::call_once(is_prepared, [] {
    mallopt(M_MMAP_MAX, 0);
    mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
    mallopt(M_TOP_PAD, 16 << 20);
    wish_for_huge_pages();
  });
}

}  // namespace tilewright
