// How one value becomes one of another type; every operator converts this way.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

namespace tilewright {

/// Into the range of an integer type, NaN to 0.
template <class Target, class Value>
[[nodiscard]] Value clamped_to(Value value) {
  constexpr Value top = static_cast<Value>(std::numeric_limits<Target>::max());
  const Value positive = value > 0 ? value : 0;
  return positive < top ? positive : top;
}

/// The nearest integer to a value in the range of Target, halves to the even one: adding and subtracting 2^23 (2^52)
/// rounds as the processor does, and vectorises.
template <class Target, class Value>
[[nodiscard]] Target rounded_to(Value value) {
  constexpr Value shift = std::is_same_v<Value, float> ? static_cast<Value>(0x1p23) : static_cast<Value>(0x1p52);
  return static_cast<Target>(static_cast<int>((value + shift) - shift));
}

/// To integers: the nearest, halves to the even one, saturated, NaN to 0. To floating point: as IEEE 754 rounds.
template <class Target, class Value>
[[nodiscard]] Target convert_value(Value value) {
  if constexpr (std::is_floating_point_v<Target>) {
    return static_cast<Target>(value);
  } else {
    return rounded_to<Target>(clamped_to<Target>(value));
  }
}

/// The same by the standard library's rounding, one step after the other: the oracle.
template <class Target>
[[nodiscard]] Target convert_value_reference(double value) {
  if constexpr (std::is_floating_point_v<Target>) {
    return static_cast<Target>(value);
  } else {
    if (std::isnan(value)) return 0;
    return static_cast<Target>(
        std::clamp(std::nearbyint(value), 0.0, static_cast<double>(std::numeric_limits<Target>::max())));
  }
}

}  // namespace tilewright
