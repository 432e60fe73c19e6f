// Images lie in huge pages where the system has some, also where their memory was used before.
#include "../../src/runtime/heap.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/mman.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "tilewright/core/raster.hpp"

namespace tilewright {
namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;

/// Of the mappings that hold a part of these addresses, what the kernel says of them by that name.
std::vector<std::string> facts_of_mappings(const void* data, std::size_t bytes, const std::string& name) {
  const auto begin = reinterpret_cast<std::uintptr_t>(data);
  std::ifstream maps("/proc/self/smaps");
  std::vector<std::string> facts;
  bool is_meant = false;
  for (std::string line; std::getline(maps, line);) {
    std::uintptr_t first = 0, last = 0;
    char dash = 0;
    std::istringstream words(line);
    if (words >> std::hex >> first >> dash >> last && dash == '-') is_meant = first < begin + bytes && begin < last;
    if (is_meant && line.starts_with(name + ":")) facts.push_back(line.substr(name.size() + 1));
  }
  return facts;
}

std::size_t huge_kilobytes(const void* data, std::size_t bytes) {
  std::size_t sum = 0;
  for (const std::string& kilobytes : facts_of_mappings(data, bytes, "AnonHugePages")) sum += std::stoul(kilobytes);
  return sum;
}

/// Whether a wish for huge pages is granted here at all.
bool system_has_huge_pages() {
  constexpr std::size_t bytes = 8 * mebibyte;
  void* const fresh = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (fresh == MAP_FAILED) return false;
  madvise(fresh, bytes, MADV_HUGEPAGE);
  std::memset(fresh, 1, bytes);
  const bool granted = huge_kilobytes(fresh, bytes) > 0;
  munmap(fresh, bytes);
  return granted;
}

TEST(Heap, ImagesLieInHugePagesWhereMemoryWasUsedBefore) {
  if (!system_has_huge_pages()) GTEST_SKIP() << "this system grants no huge pages";
  prepare_heap();
  {
    std::vector<std::unique_ptr<char[]>> small;  // as tiles and messages are
    for (int i = 0; i < 1000; ++i) {
      small.push_back(std::make_unique<char[]>(64 * 1024));
      std::memset(small.back().get(), 1, 64 * 1024);
    }
  }
  // Larger ones have memory of their own.
  Raster image(ImageShape{{1024, 1000}, {PixelType::f32, 1}});
  std::byte* const pixels = image.view().bytes_at(0, 0);
  std::memset(pixels, 1, static_cast<std::size_t>(image.bytes()));
  EXPECT_GE(huge_kilobytes(pixels, static_cast<std::size_t>(image.bytes())), 2048U);
}

/// One program may have many sessions.
TEST(Heap, IsPreparedOnce) {
  prepare_heap();
  const std::size_t before = mallinfo2().uordblks;
  prepare_heap();
  EXPECT_LT(mallinfo2().uordblks, before + mebibyte);
}

/// The heap's first huge page begins somewhere behind what was in use before.
TEST(Heap, NoImageLiesBeforeTheFirstHugePage) {
  if (!system_has_huge_pages()) GTEST_SKIP() << "this system grants no huge pages";
  prepare_heap();
  Raster image(ImageShape{{128, 128}, {PixelType::f32, 1}});
  for (const std::string& flags :
       facts_of_mappings(image.view().bytes_at(0, 0), static_cast<std::size_t>(image.bytes()), "VmFlags"))
    EXPECT_THAT(flags, ::testing::HasSubstr(" hg")) << "as madvise() wishes for huge pages";
}

}  // namespace
}  // namespace tilewright
