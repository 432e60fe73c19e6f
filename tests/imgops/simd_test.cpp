#include "tilewright/imgops/simd.hpp"

#include <gtest/gtest.h>

#include "tilewright/core/error.hpp"

namespace tilewright {
namespace {

TEST(SimdLevel, HasNames) {
  for (const SimdLevel level : all_simd_levels) EXPECT_EQ(parse_simd_level(to_string(level)), level);
  EXPECT_THROW((void)parse_simd_level("mmx"), ParameterError);
}

TEST(SimdLevel, IsInForceOnceSelected) {
  EXPECT_EQ(current_simd_level(), best_simd_level());
  for (const SimdLevel level : all_simd_levels) {
    if (level <= best_simd_level()) {
      select_simd_level(level);
      EXPECT_EQ(current_simd_level(), level);
    } else {
      EXPECT_THROW(select_simd_level(level), ParameterError);
    }
  }
  select_simd_level(best_simd_level());
  EXPECT_EQ(current_simd_level(), best_simd_level());
}

}  // namespace
}  // namespace tilewright
