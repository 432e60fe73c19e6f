#include "exact_sum.hpp"

#include <bit>
#include <cmath>
#include <limits>

namespace tilewright {
namespace {

constexpr std::int64_t digit_mask = 0xFFFFFFFF;
/// Each addition changes a digit by less than 2^33: so many keep it below 2^62.
constexpr std::uint32_t most_pending = 1U << 29;

/// The nearest double to mantissa * 2^exponent, whose bit 63 is set; `has_more` if bits below were cut off.
double nearest(std::uint64_t mantissa, int exponent, bool has_more) {
  constexpr std::uint64_t half = 0x400;  // of the eleven bits that a double has no room for
  std::uint64_t kept = mantissa >> 11;
  const std::uint64_t dropped = mantissa & 0x7FF;
  const bool tie = dropped == half && !has_more;
  if (dropped > half || (dropped == half && has_more) || (tie && (kept & 1) != 0)) ++kept;
  // Exact: doubles are multiples of 2^-1074, so a subnormal sum has no bits below that; too large a one is infinite.
  return std::ldexp(static_cast<double>(kept), exponent + 11);
}

}  // namespace

void ExactSum::add(double value) {
  if (std::isfinite(value)) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    const int field = static_cast<int>(bits >> 52 & 0x7FF);
    const auto fraction = static_cast<std::int64_t>(bits & 0xFFFFFFFFFFFFF);
    const std::int64_t mantissa = field == 0 ? fraction : fraction | std::int64_t{1} << 52;
    add_scaled(std::signbit(value) ? -mantissa : mantissa, (field == 0 ? 1 : field) - 1075);
  } else if (std::isnan(value)) {
    has_nan_ = 1;
  } else {
    (value > 0 ? has_positive_infinity_ : has_negative_infinity_) = 1;
  }
}

void ExactSum::add_scaled(std::int64_t integer, int exponent) {
  const int position = exponent - lowest_exponent;
  const auto digit = static_cast<std::size_t>(position / 32);
  const int shift = position % 32;
  const bool negative = integer < 0;
  const auto magnitude = static_cast<std::uint64_t>(negative ? -integer : integer);
  // Halves of 32 bits, each shifted by less than 32, so that each spreads over two digits.
  const std::uint64_t low = (magnitude & 0xFFFFFFFF) << shift;
  const std::uint64_t high = (magnitude >> 32) << shift;
  const std::array<std::uint64_t, 3> parts{low & 0xFFFFFFFF, (low >> 32) + (high & 0xFFFFFFFF), high >> 32};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto part = static_cast<std::int64_t>(parts[i]);
    digits_[digit + i] += negative ? -part : part;
  }
  if (++pending_ >= most_pending) normalize();
}

void ExactSum::add(const ExactSum& other) {
  ExactSum addend = other;
  addend.normalize();
  normalize();
  for (std::size_t i = 0; i < digits_.size(); ++i) digits_[i] += addend.digits_[i];
  has_positive_infinity_ |= other.has_positive_infinity_;
  has_negative_infinity_ |= other.has_negative_infinity_;
  has_nan_ |= other.has_nan_;
  normalize();
}

void ExactSum::normalize() {
  for (std::size_t i = 0; i + 1 < digits_.size(); ++i) {
    digits_[i + 1] += digits_[i] >> 32;  // rounds down, so that what stays is not negative
    digits_[i] &= digit_mask;
  }
  pending_ = 0;
}

double ExactSum::rounded() const {
  if (has_nan_ != 0 || (has_positive_infinity_ != 0 && has_negative_infinity_ != 0)) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  if (has_positive_infinity_ != 0) return std::numeric_limits<double>::infinity();
  if (has_negative_infinity_ != 0) return -std::numeric_limits<double>::infinity();

  ExactSum magnitude = *this;
  magnitude.normalize();
  if (magnitude.digits_.back() >= 0) return magnitude.rounded_magnitude();
  for (std::int64_t& digit : magnitude.digits_) digit = -digit;
  magnitude.normalize();
  return -magnitude.rounded_magnitude();
}

double ExactSum::rounded_magnitude() const {
  int top = digit_count - 1;
  if (digits_.back() != 0) return std::numeric_limits<double>::infinity();
  while (top >= 0 && digits_[static_cast<std::size_t>(top)] == 0) --top;
  if (top < 0) return 0;

  const auto digit = [&](int index) {
    return index < 0 ? 0 : static_cast<std::uint64_t>(digits_[static_cast<std::size_t>(index)]);
  };
  // The 64 bits from the highest one that is set; they touch three digits.
  const int zeros = std::countl_zero(static_cast<std::uint32_t>(digit(top)));
  const std::uint64_t below = digit(top - 2) << zeros;
  const std::uint64_t mantissa = (digit(top) << 32 | digit(top - 1)) << zeros | below >> 32;
  bool has_more = (below & 0xFFFFFFFF) != 0;
  for (int index = top - 3; index >= 0 && !has_more; --index) has_more = digit(index) != 0;
  return nearest(mantissa, lowest_exponent + 32 * (top - 1) - zeros, has_more);
}

}  // namespace tilewright
