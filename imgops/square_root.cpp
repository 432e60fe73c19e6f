#include "square_root.hpp"

// Highway compiles the rest of this file once for each vector level.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "square_root.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tilewright {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <class T>
HWY_INLINE void all_vectors(const T* in, T* out, std::size_t values) {
  const hn::ScalableTag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t x = 0;
  for (; x + lanes <= values; x += lanes) hn::StoreU(hn::Sqrt(hn::LoadU(d, in + x)), d, out + x);
  const hn::CappedTag<T, 1> single;
  for (; x < values; ++x) hn::StoreU(hn::Sqrt(hn::LoadU(single, in + x)), single, out + x);
}

void square_root_f32(const float* in, float* out, std::size_t values) {
  all_vectors(in, out, values);
}
void square_root_f64(const double* in, double* out, std::size_t values) {
  all_vectors(in, out, values);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace tilewright
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tilewright {

HWY_EXPORT(square_root_f32);
HWY_EXPORT(square_root_f64);

void square_root(const float* in, float* out, std::size_t values) {
  HWY_DYNAMIC_DISPATCH(square_root_f32)(in, out, values);
}

void square_root(const double* in, double* out, std::size_t values) {
  HWY_DYNAMIC_DISPATCH(square_root_f64)(in, out, values);
}

}  // namespace tilewright
#endif
