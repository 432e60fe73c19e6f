#include "block_sum.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

// Highway compiles the rest of this file once for each vector level.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "block_sum.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tilewright {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

/// As many vectors are on the way at a time as hide how long an addition takes.
constexpr std::size_t at_a_time = 4;
static_assert(values_a_block % (at_a_time * HWY_MAX_BYTES / sizeof(float)) == 0);

/// Their bits without the signs, which are in the order of the magnitudes; both are 0 if all values are.
template <class Bits>
struct Magnitudes {
  Bits smallest_but_zero, largest;
};

template <class T, class Bits>
HWY_INLINE Magnitudes<Bits> magnitudes(const T* values) {
  const hn::ScalableTag<T> d;
  const hn::RebindToUnsigned<decltype(d)> du;
  const std::size_t lanes = hn::Lanes(d);
  const auto one = hn::Set(du, Bits{1});
  auto smallest = hn::Set(du, std::numeric_limits<Bits>::max());  // less one, so that zero comes last
  auto largest = hn::Zero(du);
  for (std::size_t i = 0; i < values_a_block; i += lanes) {
    const auto bits = hn::BitCast(du, hn::Abs(hn::LoadU(d, values + i)));
    smallest = hn::Min(smallest, hn::Sub(bits, one));
    largest = hn::Max(largest, bits);
  }
  return {hn::GetLane(hn::Add(hn::MinOfLanes(du, smallest), one)), hn::GetLane(hn::MaxOfLanes(du, largest))};
}

HWY_INLINE auto as_doubles(hn::ScalableTag<double> d, const float* values) {
  return hn::PromoteTo(d, hn::LoadU(hn::Rebind<float, decltype(d)>(), values));
}
HWY_INLINE auto as_doubles(hn::ScalableTag<double> d, const double* values) {
  return hn::LoadU(d, values);
}

/// If split: what lies below the last bit of `splitter`, whose magnitude is larger than that of any sum, is added up by
/// itself.
template <bool kIsSplit, class T>
HWY_INLINE BlockSum sum_in_doubles(const T* values, double splitter = 0) {
  const hn::ScalableTag<double> d;
  const std::size_t lanes = hn::Lanes(d);
  const auto split = hn::Set(d, splitter);
  hn::Vec<decltype(d)> high[at_a_time], low[at_a_time];
  for (std::size_t k = 0; k < at_a_time; ++k) high[k] = low[k] = hn::Zero(d);
  for (std::size_t i = 0; i < values_a_block; i += at_a_time * lanes) {
    for (std::size_t k = 0; k < at_a_time; ++k) {
      const auto value = as_doubles(d, values + i + k * lanes);
      auto upper = value;
      if constexpr (kIsSplit) {
        upper = hn::Sub(hn::Add(value, split), split);
        low[k] = hn::Add(low[k], hn::Sub(value, upper));
      }
      high[k] = hn::Add(high[k], upper);
    }
  }
  for (std::size_t k = 1; k < at_a_time; ++k) {
    high[0] = hn::Add(high[0], high[k]);
    low[0] = hn::Add(low[0], low[k]);
  }
  return {hn::GetLane(hn::SumOfLanes(d, high[0])), hn::GetLane(hn::SumOfLanes(d, low[0]))};
}

/// A sum of doubles is exact if all are multiples of 2^u and no partial sum reaches 2^(u + 53). With e the exponent of
/// the largest value, and of the smallest one but zero 2^u the last bit, every partial sum lies below 2^(e + 10). What
/// is above 2^(e + 10 - 53) is thus added up exactly; what is left of each value is no larger than half of that, and
/// their sum no larger than 2^9 times as much.
template <class T, class Bits>
HWY_INLINE std::optional<BlockSum> exact_sum(const T* values) {
  constexpr int fraction_bits = std::numeric_limits<T>::digits - 1;
  constexpr int bias = std::numeric_limits<T>::max_exponent - 1;
  constexpr int no_number = 2 * bias + 1;
  constexpr int sum_bits = std::numeric_limits<double>::digits;
  constexpr int count_bits = std::countr_zero(values_a_block);
  const auto [smallest, largest] = magnitudes<T, Bits>(values);
  if (largest == 0) return BlockSum{};
  const int largest_field = static_cast<int>(largest >> fraction_bits);
  if (largest_field == no_number) return std::nullopt;
  const int bound = std::max(1, largest_field) - bias + 1 + count_bits;  // of exponents
  const int last_bit = std::max(1, static_cast<int>(smallest >> fraction_bits)) - bias - fraction_bits;
  if (bound - last_bit <= sum_bits) return sum_in_doubles<false>(values);
  const int last_high_bit = bound - sum_bits + 1;
  const bool is_low_part_exact = last_high_bit - 1 + count_bits - last_bit <= sum_bits;
  if (!is_low_part_exact || bound >= std::numeric_limits<double>::max_exponent - 1) return std::nullopt;
  return sum_in_doubles<true>(values, std::ldexp(1.5, bound));
}

std::optional<BlockSum> block_sum_f32(const float* values) {
  return exact_sum<float, std::uint32_t>(values);
}
std::optional<BlockSum> block_sum_f64(const double* values) {
  return exact_sum<double, std::uint64_t>(values);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace tilewright
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tilewright {

HWY_EXPORT(block_sum_f32);
HWY_EXPORT(block_sum_f64);

std::optional<BlockSum> block_sum(std::span<const float, values_a_block> values) {
  return HWY_DYNAMIC_DISPATCH(block_sum_f32)(values.data());
}

std::optional<BlockSum> block_sum(std::span<const double, values_a_block> values) {
  return HWY_DYNAMIC_DISPATCH(block_sum_f64)(values.data());
}

}  // namespace tilewright
#endif
