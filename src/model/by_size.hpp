// Factors that depend on a size.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <istream>

namespace tilewright {

/// The next word, if that is a factor: a finite number above 0.
inline bool read_factor(std::istream& words, double& factor) {
  return words >> factor && std::isfinite(factor) && factor > 0;
}

/// Of the sizes, ascending, each has a factor: by the logarithm in between, and beyond them that of the last.
template <std::size_t N>
double factor_of_size(const std::array<std::int64_t, N>& sizes, const std::array<double, N>& factors,
                      std::int64_t bytes) {
  const auto above = static_cast<std::size_t>(std::ranges::upper_bound(sizes, bytes) - sizes.begin());
  if (above == 0) return factors.front();
  if (above == N) return factors.back();
  const double low = std::log(sizes[above - 1]), high = std::log(sizes[above]);
  const double share = (std::log(static_cast<double>(bytes)) - low) / (high - low);
  return std::lerp(factors[above - 1], factors[above], share);
}

}  // namespace tilewright
