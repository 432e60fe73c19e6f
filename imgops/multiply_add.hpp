// The one operation of convolutions whose rounding depends on the vector level.
#pragma once

#include <cmath>

#include "tilewright/imgops/simd.hpp"

namespace tilewright {

/// a * b + c as the vector code of a level computes it: what references use.
template <class T>
[[nodiscard]] T multiply_add(T a, T b, T c, SimdLevel level) {
  if (fuses_multiply_add(level)) return std::fma(a, b, c);
  const T product = a * b;
  return product + c;
}

}  // namespace tilewright
