// The memory of rasters that are no trifle: kept for the next raster of about its size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

namespace tilewright {

/// From here on a raster's memory is taken from a RasterMemory.
inline constexpr std::size_t smallest_kept_bytes = std::size_t{64} << 10;
/// From here on a block is mapped by itself, in huge pages; smaller ones are malloc's, whose memory lies in huge pages
/// as well (src/runtime/heap.hpp).
inline constexpr std::size_t smallest_mapped_bytes = std::size_t{4} << 20;

/// Images come and go, most of them of one size. What is given back to the system has to be cleared by it when it is
/// taken again, and on a virtual machine to be found first, which takes longer than a filter on it. And malloc seldom
/// finds an aligned block again: it asks for more than that, to have something to cut off, so that pipelines wander
/// through memory and push out of the caches what their next run needs. What came back last is taken first, for a cache
/// may still hold it. Never holds more than was in use at once. Thread-safe.
class RasterMemory {
 public:
  RasterMemory() = default;
  RasterMemory(const RasterMemory&) = delete;
  RasterMemory& operator=(const RasterMemory&) = delete;
  ~RasterMemory();

  struct Block {
    std::byte* data = nullptr;
    std::size_t bytes = 0;  ///< at least as many as were asked for
  };
  /// Not initialised; begins at a huge page if it is mapped, else at a cache line. Throws std::bad_alloc if the system
  /// has no more.
  [[nodiscard]] Block take(std::size_t bytes);
  void give_back(const Block& block) noexcept;

  [[nodiscard]] std::size_t kept_bytes() const;

 private:
  struct Kept {
    std::byte* data = nullptr;
    std::uint64_t turn = 0;  ///< larger than of those that came back before
  };
  void release_largest();

  mutable std::mutex mutex_;
  std::multimap<std::size_t, Kept> kept_;  ///< by bytes
  std::uint64_t turn_ = 0;
  std::size_t kept_bytes_ = 0;
  std::size_t used_bytes_ = 0;
  std::size_t most_used_bytes_ = 0;
};

/// This process's, of blocks for so many bytes: mapped ones by themselves, the others by themselves, so that small ones
/// make nobody give large ones back to the system.
[[nodiscard]] RasterMemory& raster_memory(std::size_t bytes);

}  // namespace tilewright
