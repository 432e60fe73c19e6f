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

/// Of results that cover these areas.
[[nodiscard]] Storing storing_of(std::span<const MutableView> results);

/// Makes what was streamed visible to other threads; to be called by the one that streamed, before it says that it is
/// done.
void finish_streaming();

}  // namespace tilewright
