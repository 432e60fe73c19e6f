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

}  // namespace tilewright
