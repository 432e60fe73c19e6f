#include "tilewright/imgops/simd.hpp"

#include <fmt/format.h>
#include <hwy/highway.h>

#include <algorithm>
#include <iterator>

#include "tilewright/core/error.hpp"

namespace tilewright {
namespace {

#if HWY_ARCH_X86
/// Highway's targets from `level` upwards.
std::int64_t targets_from(SimdLevel level) {
  switch (level) {
    case SimdLevel::scalar:
      return ~std::int64_t{0};
    case SimdLevel::sse4:
      return HWY_SSE4 | targets_from(SimdLevel::avx2);
    case SimdLevel::avx2:
      return HWY_AVX2 | targets_from(SimdLevel::avx512);
    case SimdLevel::avx512:
      return HWY_AVX3 | HWY_AVX3_DL;
  }
  throw InternalError("targets_from: unknown vector level");
}

std::int64_t targets_above(SimdLevel level) {
  switch (level) {
    case SimdLevel::scalar:
      return targets_from(SimdLevel::sse4);
    case SimdLevel::sse4:
      return targets_from(SimdLevel::avx2);
    case SimdLevel::avx2:
      return targets_from(SimdLevel::avx512);
    case SimdLevel::avx512:
      return 0;
  }
  throw InternalError("targets_above: unknown vector level");
}
#else
// Elsewhere Highway chooses among vectors that have no name here.
std::int64_t targets_from(SimdLevel level) {
  return level == SimdLevel::scalar ? ~std::int64_t{0} : 0;
}
std::int64_t targets_above(SimdLevel /*level*/) {
  return 0;
}
#endif

SimdLevel highest_level(std::int64_t targets) {
  SimdLevel highest = SimdLevel::scalar;
  for (const SimdLevel level : all_simd_levels) {
    if ((targets & targets_from(level)) != 0) highest = level;
  }
  return highest;
}

}  // namespace

std::string_view to_string(SimdLevel level) {
  switch (level) {
    case SimdLevel::scalar:
      return "scalar";
    case SimdLevel::sse4:
      return "sse4";
    case SimdLevel::avx2:
      return "avx2";
    case SimdLevel::avx512:
      return "avx512";
  }
  throw InternalError("to_string: unknown vector level");
}

SimdLevel parse_simd_level(std::string_view text) {
  const auto* level = std::find_if(std::begin(all_simd_levels), std::end(all_simd_levels),
                                   [&](SimdLevel candidate) { return to_string(candidate) == text; });
  if (level != std::end(all_simd_levels)) return *level;
  throw ParameterError(fmt::format("'{}' is no vector level: use scalar, sse4, avx2 or avx512", text));
}

SimdLevel best_simd_level() {
  // Asked first before any restriction, for only select_simd_level() restricts and it asks here.
  static const SimdLevel best = highest_level(hwy::SupportedTargets());
  return best;
}

void select_simd_level(SimdLevel level) {
  if (level > best_simd_level()) {
    throw ParameterError(fmt::format("this processor has no {}: choose {} or a lower vector level", to_string(level),
                                     to_string(best_simd_level())));
  }
  hwy::DisableTargets(targets_above(level));
}

bool fuses_multiply_add([[maybe_unused]] SimdLevel level) {
#if HWY_ARCH_X86
  return level >= SimdLevel::avx2;
#else
  return HWY_NATIVE_FMA != 0;
#endif
}

SimdLevel current_simd_level() {
  const SimdLevel best = best_simd_level();
  const std::int64_t targets = hwy::SupportedTargets();
  hwy::GetChosenTarget().Update(targets);  // asking has chosen among all targets again, also those that are disabled
  return std::min(best, highest_level(targets));
}

}  // namespace tilewright
