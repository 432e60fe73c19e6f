#include "heap.hpp"

#include <malloc.h>
#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <limits>

namespace tilewright {
namespace {

constexpr std::uintptr_t huge_page = std::uintptr_t{2} << 20;
/// Of addresses, not of memory: what is never touched takes none.
constexpr std::size_t reserved_bytes = std::size_t{1} << 30;

/// The wish holds for a range of addresses, so they are taken and returned at once. Where there are fewer, rasters' own
/// wishes are what is left. What lies before the first huge page is kept, and never touched: an image that came to lie
/// there would be in small pages, and is scattered in up to twice the time.
void wish_for_huge_pages() {
  void* const reserved = std::malloc(reserved_bytes);
  if (reserved == nullptr) return;
  const auto begin = reinterpret_cast<std::uintptr_t>(reserved);
  const std::uintptr_t first = (begin + huge_page - 1) / huge_page * huge_page;
  const std::uintptr_t last = (begin + reserved_bytes) / huge_page * huge_page;
  madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);  // failing is no error
  [[maybe_unused]] static void* const before = std::realloc(reserved, first - begin);
}

}  // namespace

void prepare_heap() {
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
  mallopt(M_TOP_PAD, 16 << 20);
  wish_for_huge_pages();
}

}  // namespace tilewright
