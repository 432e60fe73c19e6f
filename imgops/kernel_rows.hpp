// The inner loops of convolutions with kernels that are not separable, vectorised.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tilewright {

/// Of a two-dimensional kernel in the order of correlation.
template <class T>
struct KernelTaps {
  const T* values;  ///< row by row
  std::int64_t width;
  std::int64_t height;  ///< of correlate_rows(): rows_together at least
  std::int64_t step;    ///< from where a tap reads to where the next one does, in values: the channels
};

/// So many rows of results are computed together: a value of the source is loaded once for all of them.
constexpr int rows_together = 4;

/// out[r][x] = taps[0][0] * source[r][x] + taps[0][1] * source[r][x + step] + ... for x in [0, values) and r in
/// [0, rows_together), added up row by row of the kernel, each product as multiply_add() adds it. `source` has
/// rows_together + height - 1 rows. Every result is computed by the same operations whatever its place. `out` must not
/// overlap the source; nothing need be aligned.
void correlate_rows(const KernelTaps<float>& taps, const float* const* source, float* const* out, std::int64_t values);
void correlate_rows(const KernelTaps<double>& taps, const double* const* source, double* const* out,
                    std::int64_t values);

/// One row of results, by the same operations, from a pointer a tap: out[x] = taps[0] * reads[0][x] + taps[1] *
/// reads[1][x] + ... Requires count >= 1. For kernels of few rows it is faster.
void correlate_row(const float* const* reads, const float* taps, std::size_t count, float* out, std::int64_t values);
void correlate_row(const double* const* reads, const double* taps, std::size_t count, double* out, std::int64_t values);

}  // namespace tilewright
