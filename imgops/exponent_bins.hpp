// Adds values of any magnitude exactly and rather fast: one integer addition or two a value.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include "exact_sum.hpp"

namespace tilewright {

/// Values of one exponent share a bin, in which their mantissas are added up as integers; at most 2^30 values may be
/// added between two calls of flush(). There are several lanes of bins, for neighbours in an image often have one
/// exponent, and an addition to a bin has to wait for the one before.
template <class T>
class ExponentBins;

template <>
class ExponentBins<float> {
 public:
  static constexpr int lanes = 4;

  /// In any lane.
  void add(float value, int lane) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t field = bits >> 23 & 0xFF;
    if (field == 0xFF) {
      special_.add(static_cast<double>(value));
      return;
    }
    const auto fraction = static_cast<std::int64_t>(bits & 0x7FFFFF);
    const std::int64_t mantissa = field == 0 ? fraction : fraction | 0x800000;
    bins_[static_cast<std::size_t>(lane)][field] += (bits >> 31) != 0 ? -mantissa : mantissa;
  }

  void flush(ExactSum& sum) {
    for (std::size_t field = 0; field < fields; ++field) {
      std::int64_t mantissas = 0;
      for (const auto& bins : bins_) mantissas += bins[field];
      if (mantissas != 0) sum.add_scaled(mantissas, (field == 0 ? 1 : static_cast<int>(field)) - 150);
    }
    sum.add(special_);
    *this = ExponentBins();
  }

 private:
  static constexpr std::size_t fields = 255;  ///< that an exponent may have

  std::array<std::array<std::int64_t, fields>, lanes> bins_{};
  ExactSum special_;  ///< infinities and NaN
};

template <>
class ExponentBins<double> {
 public:
  static constexpr int lanes = 2;  // more would leave the nearest cache

  /// In any lane.
  void add(double value, int lane) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    const std::uint64_t field = bits >> 52 & 0x7FF;
    if (field == 0x7FF) {
      special_.add(value);
      return;
    }
    const std::int64_t sign = (bits >> 63) != 0 ? -1 : 1;
    const auto low = static_cast<std::int64_t>(bits & 0xFFFFFFFF);
    const auto fraction = static_cast<std::int64_t>(bits >> 32 & 0xFFFFF);
    Bins& bins = bins_[static_cast<std::size_t>(lane)];
    bins.low[field] += sign * low;
    bins.high[field] += sign * (field == 0 ? fraction : fraction | 0x100000);
  }

  void flush(ExactSum& sum) {
    for (std::size_t field = 0; field < fields; ++field) {
      const int exponent = (field == 0 ? 1 : static_cast<int>(field)) - 1075;
      std::int64_t low = 0;
      std::int64_t high = 0;
      for (const Bins& bins : bins_) {
        low += bins.low[field];
        high += bins.high[field];
      }
      if (low != 0) sum.add_scaled(low, exponent);
      if (high != 0) sum.add_scaled(high, exponent + 32);
    }
    sum.add(special_);
    *this = ExponentBins();
  }

 private:
  static constexpr std::size_t fields = 2047;
  struct Bins {
    std::array<std::int64_t, fields> low{};   ///< the lower 32 bits of the mantissas
    std::array<std::int64_t, fields> high{};  ///< the other 21
  };

  std::array<Bins, lanes> bins_{};
  ExactSum special_;
};

}  // namespace tilewright
