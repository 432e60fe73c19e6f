// How kernels store their results.
#pragma once

#include <cstdint>
#include <span>

#include "tilewright/core/raster.hpp"

namespace tilewright {

enum class Storing : std::uint8_t {
  cached,
  streamed  ///< past the caches, where an aligned vector allows it: for more results than a cache would keep
};

/// Fewer bytes of results are left in the caches, where whoever reads them next finds them.
inline constexpr std::int64_t streamed_bytes = std::int64_t{16} << 20;

[[nodiscard]] constexpr Storing storing_of(std::int64_t bytes_of_results) {
  return bytes_of_results >= streamed_bytes ? Storing::streamed : Storing::cached;
}

inline constexpr std::int64_t cache_line = 64;

/// Whether it may be streamed from there on: a line that is written in two goes, with others in between, goes to memory
/// twice, at a tenth of the speed.
[[nodiscard]] inline bool begins_a_line(const void* first) {
  return reinterpret_cast<std::uintptr_t>(first) % static_cast<std::uintptr_t>(cache_line) == 0;
}

/// Of results that cover these areas.
[[nodiscard]] Storing storing_of(std::span<const MutableView> results);

/// Makes what was streamed visible to other threads; to be called by the one that streamed, before it says that it is
/// done.
void finish_streaming();

}  // namespace tilewright
