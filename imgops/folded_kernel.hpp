// A one-dimensional kernel whose symmetry is used: values at equal distance from the centre share a multiplication.
#pragma once

#include <span>

#include "correlation.hpp"

namespace tilewright {

enum class Symmetry {
  none,
  even,  ///< taps[i] == taps[n - 1 - i]: values at equal distance are added first
  odd    ///< taps[i] == -taps[n - 1 - i]: the left value is subtracted from the right one first
};

/// The result at x is, with multiply-add as the vector level has it and from the centre outwards,
///   even: [taps[c] f(x+c)] + sum over pairs of taps (f(right) + f(left))
///   odd:  sum over pairs of taps (f(right) - f(left)); a tap of 0 in the centre is not read
///   none: sum over all taps from the first on.
template <class T>
struct FoldedKernel {
  Symmetry symmetry = Symmetry::none;
  std::int64_t first = 0;   ///< offset of the first tap
  std::int64_t size = 0;    ///< taps from first on
  bool has_centre = false;  ///< weights begin with the tap in the middle, which is read alone
  std::vector<T> weights;   ///< centre if there is one, then one a pair outwards; without symmetry one a tap

  [[nodiscard]] std::int64_t last() const { return first + size - 1; }
  /// Offset of the value left of the middle that the innermost pair reads, and of the one right of it.
  [[nodiscard]] std::int64_t innermost_left() const { return first + size / 2 - 1; }
  [[nodiscard]] std::int64_t innermost_right() const { return first + (size + 1) / 2; }
  [[nodiscard]] std::span<const T> pairs() const { return std::span(weights).subspan(has_centre ? 1 : 0); }
};

/// Symmetry is looked for among the taps as they are used, in T.
template <class T>
[[nodiscard]] FoldedKernel<T> folded(const Correlation& kernel) {
  const std::vector<T> taps = taps_as<T>(kernel.taps);
  FoldedKernel<T> result{Symmetry::none, kernel.first, kernel.size(), false, taps};
  bool even = true;
  bool odd = true;
  for (std::size_t i = 0; i < taps.size(); ++i) {
    even = even && taps[i] == taps[taps.size() - 1 - i];
    odd = odd && taps[i] == -taps[taps.size() - 1 - i];
  }
  if (taps.size() == 1 || (!even && !odd)) return result;
  result.symmetry = even ? Symmetry::even : Symmetry::odd;
  result.has_centre = even && taps.size() % 2 == 1;
  const std::size_t half = taps.size() / 2;
  result.weights.clear();
  if (result.has_centre) result.weights.push_back(taps[half]);
  for (std::size_t i = half; i > 0; --i) result.weights.push_back(taps[taps.size() - i]);
  return result;
}

}  // namespace tilewright
