// By how much longer transfers within a node take in small runs than they were calibrated.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "tilewright/model/cells.hpp"

namespace tilewright {

/// Of parts of images of some sizes; in between, by the logarithm of the size. What lies in caches, in memory, in rows
/// or in strips changes for reasons of its own, so each path, layout and packing has its factors.
struct SharingFactors {
  /// In bytes: what takes no longer than the synchronisation; in the caches of a core; in the last cache, a little of
  /// it and much; in memory.
  static constexpr std::array<std::int64_t, 5> sizes{4096, 131072, 512 << 10, 2 << 20, 8 << 20};
  using OfSizes = std::array<double, sizes.size()>;

  std::map<CellRow, OfSizes> rows;

  /// 1 of a cell that has none. What has spilled is slower by as much as what is warm.
  [[nodiscard]] double of(const PathCell& cell) const;

  bool operator==(const SharingFactors&) const = default;
};

/// "shared/cc 1 1 1.2 1.1 1, message-scatter/cc/manual 1 1 1 1 1"
[[nodiscard]] std::string to_string(const SharingFactors& factors);
/// None of any other text than to_string()'s.
[[nodiscard]] std::optional<SharingFactors> parse_sharing_factors(std::string_view text);

}  // namespace tilewright
