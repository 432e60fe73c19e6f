// Kernels in the type that they compute in.
#pragma once

#include "tilewright/core/pixel.hpp"

namespace tilewright {

/// Calls action(TypeTag<T>()) with the computing type of pixels of that type, float or double.
template <class Action>
auto with_computing_type(PixelType source, const Action& action) {
  return computing_type(source) == PixelType::f64 ? action(TypeTag<double>{}) : action(TypeTag<float>{});
}

}  // namespace tilewright
