// Sums of floating-point values without any rounding until the end.
#pragma once

#include <array>
#include <cstdint>

namespace tilewright {

/// A fixed-point number wide enough for any sum of 2^62 doubles: digits of 32 bits in 64-bit integers, which leaves
/// room for carries. Plain bytes; equal sums have equal bytes once normalized, whatever they were added up from.
class ExactSum {
 public:
  /// Exact. Infinities and NaN are remembered.
  void add(double value);
  /// Adds integer * 2^exponent, for |integer| < 2^63 and exponents from -1074 to 1023.
  void add_scaled(std::int64_t integer, int exponent);
  void add(const ExactSum& other);

  /// Carries over, so that each digit but the highest lies in [0, 2^32).
  void normalize();
  /// The nearest double, halves to the even one. NaN if NaN or both infinities were added.
  [[nodiscard]] double rounded() const;

  [[nodiscard]] bool operator==(const ExactSum&) const = default;

 private:
  static constexpr int lowest_exponent = -1088;  // of the lowest digit: a multiple of 32 below -1074
  static constexpr int digit_count = 68;         // the highest digit stands for 2^1056, and has 64 bits

  [[nodiscard]] double rounded_magnitude() const;

  std::array<std::int64_t, digit_count> digits_{};
  std::uint32_t pending_ = 0;  ///< additions since digits were normal
  std::uint8_t has_positive_infinity_ = 0;
  std::uint8_t has_negative_infinity_ = 0;
  std::uint8_t has_nan_ = 0;
  std::uint8_t unused_ = 0;  ///< no byte is left undefined
};

}  // namespace tilewright
