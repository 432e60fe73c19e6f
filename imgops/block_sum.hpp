// Exact sums of blocks of floating-point values, vectorised.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace tilewright {

inline constexpr std::size_t values_a_block = 512;

/// Two numbers whose sum is that of a block's values, exactly.
struct BlockSum {
  double high = 0, low = 0;
};

/// None where they cannot hold it: a value is no number, infinite or nearly so, or the values differ too much in
/// magnitude, by 2^64 and more between the largest and the smallest float that is not zero, or 2^35 of doubles.
[[nodiscard]] std::optional<BlockSum> block_sum(std::span<const float, values_a_block> values);
[[nodiscard]] std::optional<BlockSum> block_sum(std::span<const double, values_a_block> values);

}  // namespace tilewright
