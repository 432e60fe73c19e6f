#include "pointwise_rows.hpp"

#include "tilewright/core/error.hpp"

// Highway compiles the rest of this file once for each vector level.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pointwise_rows.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tilewright {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

/// Calls one(tag, x) for every vector of a row, then for each value that is left over.
template <class T, class One>
HWY_INLINE void for_row(std::int64_t values, const One& one) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t x = 0;
  for (; x + lanes <= values; x += lanes) one(d, x);
  const hn::CappedTag<T, 1> single;
  for (; x < values; ++x) one(single, x);
}

template <class T, class Function>
HWY_INLINE void combine(const Operands<T>& operands, T* HWY_RESTRICT out, std::int64_t values,
                        const Function& function) {
  const T* HWY_RESTRICT a = operands.a;
  const T* HWY_RESTRICT b = operands.b;
  const T constant = operands.constant;
  if (a == nullptr) {
    for_row<T>(values, [&](auto d, std::int64_t x)
                           HWY_ATTR { hn::StoreU(function(hn::Set(d, constant), hn::LoadU(d, b + x)), d, out + x); });
  } else if (b == nullptr) {
    for_row<T>(values, [&](auto d, std::int64_t x)
                           HWY_ATTR { hn::StoreU(function(hn::LoadU(d, a + x), hn::Set(d, constant)), d, out + x); });
  } else {
    for_row<T>(values, [&](auto d, std::int64_t x)
                           HWY_ATTR { hn::StoreU(function(hn::LoadU(d, a + x), hn::LoadU(d, b + x)), d, out + x); });
  }
}

template <class T>
HWY_INLINE void combine(Combination combination, const Operands<T>& operands, T* out, std::int64_t values) {
  switch (combination) {
    case Combination::add:
      return combine(operands, out, values, [](auto a, auto b) HWY_ATTR { return hn::Add(a, b); });
    case Combination::subtract:
      return combine(operands, out, values, [](auto a, auto b) HWY_ATTR { return hn::Sub(a, b); });
    case Combination::multiply:
      return combine(operands, out, values, [](auto a, auto b) HWY_ATTR { return hn::Mul(a, b); });
    case Combination::divide:
      return combine(operands, out, values, [](auto a, auto b) HWY_ATTR { return hn::Div(a, b); });
    case Combination::minimum:
      return combine(operands, out, values,
                     [](auto a, auto b) HWY_ATTR { return hn::IfThenElse(hn::Or(hn::Lt(b, a), hn::IsNaN(b)), b, a); });
    case Combination::maximum:
      return combine(operands, out, values,
                     [](auto a, auto b) HWY_ATTR { return hn::IfThenElse(hn::Or(hn::Gt(b, a), hn::IsNaN(b)), b, a); });
  }
  throw InternalError("combine_rows: unknown combination");
}

void combine_f32(Combination combination, const Operands<float>& operands, float* out, std::int64_t values) {
  combine(combination, operands, out, values);
}

void combine_f64(Combination combination, const Operands<double>& operands, double* out, std::int64_t values) {
  combine(combination, operands, out, values);
}

template <class T>
HWY_INLINE void square_roots_of(const T* HWY_RESTRICT in, T* HWY_RESTRICT out, std::int64_t values) {
  for_row<T>(values, [&](auto d, std::int64_t x) HWY_ATTR { hn::StoreU(hn::Sqrt(hn::LoadU(d, in + x)), d, out + x); });
}

template <class T>
HWY_INLINE void magnitudes_of(const T* HWY_RESTRICT in, T* HWY_RESTRICT out, std::int64_t values) {
  for_row<T>(values, [&](auto d, std::int64_t x) HWY_ATTR { hn::StoreU(hn::Abs(hn::LoadU(d, in + x)), d, out + x); });
}

template <class T>
HWY_INLINE void compared(const T* HWY_RESTRICT in, const Comparands<T>& comparands, T* HWY_RESTRICT out,
                         std::int64_t values) {
  const Comparands<T> own = comparands;
  for_row<T>(values, [&](auto d, std::int64_t x) HWY_ATTR {
    const auto is_above = hn::Gt(hn::LoadU(d, in + x), hn::Set(d, own.level));
    hn::StoreU(hn::IfThenElse(is_above, hn::Set(d, own.above), hn::Set(d, own.below)), d, out + x);
  });
}

void square_roots_f32(const float* in, float* out, std::int64_t values) {
  square_roots_of(in, out, values);
}
void square_roots_f64(const double* in, double* out, std::int64_t values) {
  square_roots_of(in, out, values);
}
void magnitudes_f32(const float* in, float* out, std::int64_t values) {
  magnitudes_of(in, out, values);
}
void magnitudes_f64(const double* in, double* out, std::int64_t values) {
  magnitudes_of(in, out, values);
}
void compare_f32(const float* in, const Comparands<float>& comparands, float* out, std::int64_t values) {
  compared(in, comparands, out, values);
}
void compare_f64(const double* in, const Comparands<double>& comparands, double* out, std::int64_t values) {
  compared(in, comparands, out, values);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace tilewright
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tilewright {

HWY_EXPORT(combine_f32);
HWY_EXPORT(combine_f64);
HWY_EXPORT(square_roots_f32);
HWY_EXPORT(square_roots_f64);
HWY_EXPORT(magnitudes_f32);
HWY_EXPORT(magnitudes_f64);
HWY_EXPORT(compare_f32);
HWY_EXPORT(compare_f64);

void combine_rows(Combination combination, const Operands<float>& operands, float* out, std::int64_t values) {
  HWY_DYNAMIC_DISPATCH(combine_f32)(combination, operands, out, values);
}

void combine_rows(Combination combination, const Operands<double>& operands, double* out, std::int64_t values) {
  HWY_DYNAMIC_DISPATCH(combine_f64)(combination, operands, out, values);
}

void square_roots(const float* in, float* out, std::int64_t values) {
  HWY_DYNAMIC_DISPATCH(square_roots_f32)(in, out, values);
}

void square_roots(const double* in, double* out, std::int64_t values) {
  HWY_DYNAMIC_DISPATCH(square_roots_f64)(in, out, values);
}

void magnitudes(const float* in, float* out, std::int64_t values) {
  HWY_DYNAMIC_DISPATCH(magnitudes_f32)(in, out, values);
}

void magnitudes(const double* in, double* out, std::int64_t values) {
  HWY_DYNAMIC_DISPATCH(magnitudes_f64)(in, out, values);
}

void compare_rows(const float* in, const Comparands<float>& comparands, float* out, std::int64_t values) {
  HWY_DYNAMIC_DISPATCH(compare_f32)(in, comparands, out, values);
}

void compare_rows(const double* in, const Comparands<double>& comparands, double* out, std::int64_t values) {
  HWY_DYNAMIC_DISPATCH(compare_f64)(in, comparands, out, values);
}

}  // namespace tilewright
#endif
