#include "weighted_sum.hpp"

// Highway compiles the rest of this file once for each vector level.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "weighted_sum.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tilewright {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

/// Eight vectors at a time: the accumulators stay in registers over the whole sum, and hide the latency of addition.
template <class D, class T = hn::TFromD<D>>
HWY_INLINE void eight_vectors(D d, const T* const* HWY_RESTRICT rows, const T* HWY_RESTRICT weights, std::size_t count,
                              T* HWY_RESTRICT out, std::size_t x) {
  const std::size_t lanes = hn::Lanes(d);
  auto weight = hn::Set(d, weights[0]);
  const T* row = rows[0] + x;
  auto sum0 = hn::Mul(weight, hn::LoadU(d, row));
  auto sum1 = hn::Mul(weight, hn::LoadU(d, row + lanes));
  auto sum2 = hn::Mul(weight, hn::LoadU(d, row + 2 * lanes));
  auto sum3 = hn::Mul(weight, hn::LoadU(d, row + 3 * lanes));
  auto sum4 = hn::Mul(weight, hn::LoadU(d, row + 4 * lanes));
  auto sum5 = hn::Mul(weight, hn::LoadU(d, row + 5 * lanes));
  auto sum6 = hn::Mul(weight, hn::LoadU(d, row + 6 * lanes));
  auto sum7 = hn::Mul(weight, hn::LoadU(d, row + 7 * lanes));
  for (std::size_t i = 1; i < count; ++i) {
    weight = hn::Set(d, weights[i]);
    row = rows[i] + x;
    sum0 = hn::Add(sum0, hn::Mul(weight, hn::LoadU(d, row)));
    sum1 = hn::Add(sum1, hn::Mul(weight, hn::LoadU(d, row + lanes)));
    sum2 = hn::Add(sum2, hn::Mul(weight, hn::LoadU(d, row + 2 * lanes)));
    sum3 = hn::Add(sum3, hn::Mul(weight, hn::LoadU(d, row + 3 * lanes)));
    sum4 = hn::Add(sum4, hn::Mul(weight, hn::LoadU(d, row + 4 * lanes)));
    sum5 = hn::Add(sum5, hn::Mul(weight, hn::LoadU(d, row + 5 * lanes)));
    sum6 = hn::Add(sum6, hn::Mul(weight, hn::LoadU(d, row + 6 * lanes)));
    sum7 = hn::Add(sum7, hn::Mul(weight, hn::LoadU(d, row + 7 * lanes)));
  }
  hn::StoreU(sum0, d, out + x);
  hn::StoreU(sum1, d, out + x + lanes);
  hn::StoreU(sum2, d, out + x + 2 * lanes);
  hn::StoreU(sum3, d, out + x + 3 * lanes);
  hn::StoreU(sum4, d, out + x + 4 * lanes);
  hn::StoreU(sum5, d, out + x + 5 * lanes);
  hn::StoreU(sum6, d, out + x + 6 * lanes);
  hn::StoreU(sum7, d, out + x + 7 * lanes);
}

template <class D, class T = hn::TFromD<D>>
HWY_INLINE void one_vector(D d, const T* const* HWY_RESTRICT rows, const T* HWY_RESTRICT weights, std::size_t count,
                           T* HWY_RESTRICT out, std::size_t x) {
  auto sum = hn::Mul(hn::Set(d, weights[0]), hn::LoadU(d, rows[0] + x));
  for (std::size_t i = 1; i < count; ++i) {
    sum = hn::Add(sum, hn::Mul(hn::Set(d, weights[i]), hn::LoadU(d, rows[i] + x)));
  }
  hn::StoreU(sum, d, out + x);
}

template <class T>
HWY_INLINE void all_vectors(const T* const* rows, const T* weights, std::size_t count, T* out, std::size_t values) {
  const hn::ScalableTag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t x = 0;
  for (; x + 8 * lanes <= values; x += 8 * lanes) eight_vectors(d, rows, weights, count, out, x);
  for (; x + lanes <= values; x += lanes) one_vector(d, rows, weights, count, out, x);
  if (x < values && values >= lanes) {  // the last vector overlaps the one before, and computes the same there
    one_vector(d, rows, weights, count, out, values - lanes);
    return;
  }
  const hn::CappedTag<T, 1> single;
  for (; x < values; ++x) one_vector(single, rows, weights, count, out, x);
}

void weighted_sum_f32(const float* const* rows, const float* weights, std::size_t count, float* out,
                      std::size_t values) {
  all_vectors(rows, weights, count, out, values);
}

void weighted_sum_f64(const double* const* rows, const double* weights, std::size_t count, double* out,
                      std::size_t values) {
  all_vectors(rows, weights, count, out, values);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace tilewright
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tilewright {

HWY_EXPORT(weighted_sum_f32);
HWY_EXPORT(weighted_sum_f64);

void weighted_sum(const float* const* rows, const float* weights, std::size_t count, float* out, std::size_t values) {
  HWY_DYNAMIC_DISPATCH(weighted_sum_f32)(rows, weights, count, out, values);
}

void weighted_sum(const double* const* rows, const double* weights, std::size_t count, double* out,
                  std::size_t values) {
  HWY_DYNAMIC_DISPATCH(weighted_sum_f64)(rows, weights, count, out, values);
}

}  // namespace tilewright
#endif
