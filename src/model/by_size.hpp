// Factors that depend on a size.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <istream>
#include <span>

namespace tilewright {

/// The next word, if that is a factor: a finite number above 0.
inline bool read_factor(std::istream& words, double& factor) {
  return words >> factor && std::isfinite(factor) && factor > 0;
}

/// Of the sizes, ascending, each has a factor: by the logarithm in between, and beyond them that of the last. There
/// must be one.
inline double factor_of_size(std::span<const std::int64_t> sizes, std::span<const double> factors, std::int64_t bytes) {
  const auto above = static_cast<std::size_t>(std::ranges::upper_bound(sizes, bytes) - sizes.begin());
  if (above == 0) return factors.front();
  if (above == sizes.size()) return factors.back();
  const double low = std::log(sizes[above - 1]), high = std::log(sizes[above]);
  const double share = (std::log(static_cast<double>(bytes)) - low) / (high - low);
  return std::lerp(factors[above - 1], factors[above], share);
}

}  // namespace tilewright
