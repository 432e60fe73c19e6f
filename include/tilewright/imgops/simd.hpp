// Vector levels: which instructions the kernels use. Results are the same, bit for bit, at every level.
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

/// The level in force.
[[nodiscard]] SimdLevel current_simd_level();

}  // namespace tilewright
