// The inner loop of every convolution: a weighted sum of rows, vectorised.
#pragma once

#include <cstddef>

namespace tilewright {

/// out[x] = weights[0] * rows[0][x] + weights[1] * rows[1][x] + ..., added up in that order, each product and each sum
/// rounded (never fused), for x in [0, values). Every out[x] is computed by the same operations whatever its place and
/// the vector level. `out` must not overlap the rows; nothing need be aligned. Requires count >= 1.
/// A row convolution passes one row at several offsets, a column convolution several rows.
void weighted_sum(const float* const* rows, const float* weights, std::size_t count, float* out, std::size_t values);
void weighted_sum(const double* const* rows, const double* weights, std::size_t count, double* out, std::size_t values);

}  // namespace tilewright
