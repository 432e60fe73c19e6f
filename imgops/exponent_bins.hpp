// Adds many values exactly and fast: one integer addition or two a value.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include "exact_sum.hpp"

namespace tilewright {

/// Values of one exponent share a bin, in which their mantissas are added up as integers; at most 2^30 values may be
/// added between two calls of flush().
template <class T>
class ExponentBins;

template <>
class ExponentBins<float> {
 public:
  void add(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t field = bits >> 23 & 0xFF;
    if (field == 0xFF) {
      special_.add(static_cast<double>(value));
      return;
    }
    const auto fraction = static_cast<std::int64_t>(bits & 0x7FFFFF);
    const std::int64_t mantissa = field == 0 ? fraction : fraction | 0x800000;
    bins_[field] += (bits >> 31) != 0 ? -mantissa : mantissa;
  }

  void flush(ExactSum& sum) {
    for (std::size_t field = 0; field < bins_.size(); ++field) {
      if (bins_[field] != 0) sum.add_scaled(bins_[field], (field == 0 ? 1 : static_cast<int>(field)) - 150);
    }
    sum.add(special_);
    *this = ExponentBins();
  }

 private:
  std::array<std::int64_t, 255> bins_{};  ///< by the exponent's field
  ExactSum special_;                      ///< infinities and NaN
};

template <>
class ExponentBins<double> {
 public:
  void add(double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    const std::uint64_t field = bits >> 52 & 0x7FF;
    if (field == 0x7FF) {
      special_.add(value);
      return;
    }
    const std::int64_t sign = (bits >> 63) != 0 ? -1 : 1;
    const auto low = static_cast<std::int64_t>(bits & 0xFFFFFFFF);
    const auto fraction = static_cast<std::int64_t>(bits >> 32 & 0xFFFFF);
    low_[field] += sign * low;
    high_[field] += sign * (field == 0 ? fraction : fraction | 0x100000);
  }

  void flush(ExactSum& sum) {
    for (std::size_t field = 0; field < low_.size(); ++field) {
      const int exponent = (field == 0 ? 1 : static_cast<int>(field)) - 1075;
      if (low_[field] != 0) sum.add_scaled(low_[field], exponent);
      if (high_[field] != 0) sum.add_scaled(high_[field], exponent + 32);
    }
    sum.add(special_);
    *this = ExponentBins();
  }

 private:
  std::array<std::int64_t, 2047> low_{};   ///< the lower 32 bits of the mantissas
  std::array<std::int64_t, 2047> high_{};  ///< the other 21
  ExactSum special_;
};

}  // namespace tilewright
