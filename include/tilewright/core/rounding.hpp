// Whole numbers of units.
#pragma once

#include <concepts>

namespace tilewright {

/// The least multiple of `unit` that is not less than `value`. Neither may be negative.
template <std::integral Number>
[[nodiscard]] constexpr Number rounded_up(Number value, Number unit) {
  return (value + unit - 1) / unit * unit;
}

}  // namespace tilewright
