// How one value becomes one of another type; every operator converts this way.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

namespace tilewright {

/// To integers: the nearest, halves to the even one, saturated, NaN to 0. To floating point: as IEEE 754 rounds.
template <class Target, class Value>
[[nodiscard]] Target convert_value(Value value) {
  if constexpr (std::is_floating_point_v<Target> || std::is_same_v<Target, Value>) {
    return static_cast<Target>(value);
  } else if constexpr (std::is_floating_point_v<Value>) {
    // Once clamped, adding and subtracting 2^23 (2^52) rounds as the processor does, and vectorises.
    constexpr Value top = static_cast<Value>(std::numeric_limits<Target>::max());
    constexpr Value shift = std::is_same_v<Value, float> ? static_cast<Value>(0x1p23) : static_cast<Value>(0x1p52);
    const Value positive = value > 0 ? value : 0;  // NaN too becomes 0
    const Value clamped = positive < top ? positive : top;
    return static_cast<Target>(static_cast<int>((clamped + shift) - shift));
  } else {
    return static_cast<Target>(std::min<unsigned>(value, std::numeric_limits<Target>::max()));
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
