// How exactly times are compared that were added up in different orders.
#pragma once

namespace tilewright {

/// Sums of the same numbers in another order differ by less than this part of them. One number for all: what a bound
/// gives way by must be what all who compare with it allow for.
inline constexpr double rounding = 1e-9;

}  // namespace tilewright
