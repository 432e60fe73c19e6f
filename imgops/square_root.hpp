// Square roots of a row, vectorised.
#pragma once

#include <cstddef>

namespace tilewright {

/// out[x] = the square root of in[x], correctly rounded, for x in [0, values). `out` may be `in`.
void square_root(const float* in, float* out, std::size_t values);
void square_root(const double* in, double* out, std::size_t values);

}  // namespace tilewright
