// A one-dimensional kernel in the order of correlation.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace tilewright {

/// The result at x is the sum of taps[i] * f(x + first + i), added up from i = 0.
struct Correlation {
  std::vector<double> taps;
  std::int64_t first = 0;

  bool operator==(const Correlation&) const = default;

  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(taps.size()); }
  [[nodiscard]] std::int64_t last() const { return first + size() - 1; }
  /// The farthest that it reads to either side.
  [[nodiscard]] std::int64_t reach() const { return std::max<std::int64_t>({0, -first, last()}); }
};

/// The taps as the kernels use them.
template <class T>
[[nodiscard]] std::vector<T> taps_as(const std::vector<double>& values) {
  std::vector<T> taps;
  taps.reserve(values.size());
  for (const double tap : values) taps.push_back(static_cast<T>(tap));
  return taps;
}

}  // namespace tilewright
