// Convolution along rows, vectorised: several kernels on one row share what they load.
#pragma once

#include <cstddef>

#include "folded_kernel.hpp"

namespace tilewright {

/// As many kernels of one symmetry at most share a pass over a row.
inline constexpr std::size_t most_alike_in_a_pass = 2;

/// Kernels that are convolved in one pass: either one without symmetry, or all of one centre, at most
/// most_alike_in_a_pass of them even and as many odd. Within each kind the shortest comes first.
template <class T>
struct RowPass {
  std::vector<const FoldedKernel<T>*> even, odd;
  const FoldedKernel<T>* other = nullptr;
  std::vector<T*> even_out, odd_out;  ///< where the results of each go
  T* other_out = nullptr;
  /// What kernels with symmetry fetch into a near cache meanwhile, as many values; need not be readable. Null: nothing.
  const T* ahead = nullptr;
};

/// For x in [0, values): each kernel's result at row[x], as FoldedKernel says. Reads row[channels * (first of the
/// kernel)] to row[values - 1 + channels * (last of the kernel)]. No output may overlap the row; nothing need be
/// aligned. Every result is computed by the same operations whatever its place, and whichever kernels share the pass.
void convolve_row(const float* row, const RowPass<float>& pass, std::int64_t channels, std::int64_t values);
void convolve_row(const double* row, const RowPass<double>& pass, std::int64_t channels, std::int64_t values);

}  // namespace tilewright
