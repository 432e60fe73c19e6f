// Vector levels: which instructions the kernels use. Results are the same, bit for bit, at levels that fuse multiplication
// and addition alike.
#pragma once

#include <cstdint>
#include <string_view>

namespace tilewright {

/// Ordered: each level includes the ones before it. `scalar` is one value at a time, on any processor.
enum class SimdLevel : std::uint8_t { scalar, sse4, avx2, avx512 };

inline constexpr SimdLevel all_simd_levels[] = {SimdLevel::scalar, SimdLevel::sse4, SimdLevel::avx2, SimdLevel::avx512};

[[nodiscard]] std::string_view to_string(SimdLevel level);
/// Throws ParameterError for an unknown name.
[[nodiscard]] SimdLevel parse_simd_level(std::string_view text);

/// The highest level that this processor has.
[[nodiscard]] SimdLevel best_simd_level();

/// Makes all kernels of this process use `level` from now on; best_simd_level() is in force until then.
/// Call it once, before any kernel runs. Throws ParameterError if the processor lacks the level.
void select_simd_level(SimdLevel level);

/// Does this level round a * b + c once, as a fused operation, rather than the product and the sum? Filters use it.
[[nodiscard]] bool fuses_multiply_add(SimdLevel level);

/// The level in force.
[[nodiscard]] SimdLevel current_simd_level();

}  // namespace tilewright
