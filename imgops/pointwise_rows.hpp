// The inner loops of operators without a neighbourhood, vectorised.
#pragma once

#include <cstdint>

namespace tilewright {

/// What two values become. min and max: of equal values the first; NaN if either is.
enum class Combination : std::uint8_t { add, subtract, multiply, divide, minimum, maximum };

/// Two values of a row, or a value and a constant; a null pointer says that the constant takes its place.
template <class T>
struct Operands {
  const T* a = nullptr;
  const T* b = nullptr;
  T constant = 0;
};

/// out[i] = a[i] (combination) b[i] for i in [0, values), each rounded once. `out` must not overlap the operands;
/// nothing need be aligned. Every result is computed by the same operation whatever its place and the vector level.
void combine_rows(Combination combination, const Operands<float>& operands, float* out, std::int64_t values);
void combine_rows(Combination combination, const Operands<double>& operands, double* out, std::int64_t values);

/// out[i] = the square root of in[i], rounded once.
void square_roots(const float* in, float* out, std::int64_t values);
void square_roots(const double* in, double* out, std::int64_t values);

/// out[i] = in[i] without its sign.
void magnitudes(const float* in, float* out, std::int64_t values);
void magnitudes(const double* in, double* out, std::int64_t values);

/// What compare_rows() puts where a value is above the level, and elsewhere, NaN included.
template <class T>
struct Comparands {
  T level, below, above;
};
void compare_rows(const float* in, const Comparands<float>& comparands, float* out, std::int64_t values);
void compare_rows(const double* in, const Comparands<double>& comparands, double* out, std::int64_t values);

}  // namespace tilewright
