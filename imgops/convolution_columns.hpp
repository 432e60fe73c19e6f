// Convolution along columns, vectorised: several rows of results at a time share the rows that they read.
#pragma once

#include <cstddef>

#include "folded_kernel.hpp"
#include "storing.hpp"

namespace tilewright {

/// Rows of results that share a pass.
inline constexpr std::int64_t rows_a_pass = 16;

/// For r in [0, count), count at most rows_a_pass, and x in [0, values): out[r][x] is the kernel's result, as
/// FoldedKernel says, over rows[r][x], rows[r + 1][x], ... rows[r + kernel.size - 1][x]. No output may overlap the
/// rows. Every result is computed by the same operations whatever its place.
void convolve_columns(const float* const* rows, const FoldedKernel<float>& kernel, float* const* out,
                      std::int64_t count, std::int64_t values, Storing storing);
void convolve_columns(const double* const* rows, const FoldedKernel<double>& kernel, double* const* out,
                      std::int64_t count, std::int64_t values, Storing storing);

/// Whether the two may share what they read: an odd kernel of nine taps and an even one of as many, or of seven, around
/// the same row.
template <class T>
[[nodiscard]] bool go_down_together(const FoldedKernel<T>& odd, const FoldedKernel<T>& even) {
  return odd.symmetry == Symmetry::odd && odd.size == 9 && even.symmetry == Symmetry::even &&
         (even.size == 9 || even.size == 7) && even.innermost_left() == odd.innermost_left();
}

/// Two kernels that go_down_together(), and where the results of each go.
template <class T>
struct TwoColumns {
  const FoldedKernel<T>& odd;
  const FoldedKernel<T>& even;
  T* const* odd_out;
  T* const* even_out;
};

/// As convolve_columns of one after the other: rows[0] is the first row that the odd one reads.
void convolve_two_columns(const float* const* rows, const TwoColumns<float>& two, std::int64_t count,
                          std::int64_t values, Storing storing);
void convolve_two_columns(const double* const* rows, const TwoColumns<double>& two, std::int64_t count,
                          std::int64_t values, Storing storing);

}  // namespace tilewright
