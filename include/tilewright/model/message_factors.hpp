// By how much longer messages take than they were calibrated.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tilewright/model/cells.hpp"

namespace tilewright {

/// Of messages of some sizes; in between, by the logarithm of the size. Two processors that come to lie nearer to each
/// other pass short messages on faster, and may have to share the core or the cache in which they pack long ones.
struct MessageFactors {
  /// In bytes: short; the longest that are sent at once; those of one piece; long; very long.
  static constexpr std::array<std::int64_t, 5> sizes{256, 4096, 16384, 131072, 1 << 20};
  using OfSizes = std::array<double, sizes.size()>;

  OfSizes whole{1, 1, 1, 1, 1};       ///< contiguous ones, or packed by us
  OfSizes by_library{1, 1, 1, 1, 1};  ///< described by a derived datatype

  /// Of the cell's message; 1 of everything else: what is left of a message, copies, and what stays within a node
  /// beside others.
  [[nodiscard]] double of(const PathCell& cell) const;

  /// Those of `whole` first.
  [[nodiscard]] std::array<double, 2 * sizes.size()> all() const;

  bool operator==(const MessageFactors&) const = default;
};

[[nodiscard]] bool is_packed_by_library(const PathCell& cell);

/// Ten numbers, as all() has them.
[[nodiscard]] std::string to_string(const MessageFactors& factors);
/// Of ten numbers above 0, or of fifteen, of which the last five were of shared memory and do not count any more. None
/// of any other text.
[[nodiscard]] std::optional<MessageFactors> parse_message_factors(std::string_view text);

}  // namespace tilewright
