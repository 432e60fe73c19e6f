#include <gtest/gtest.h>

#include "imgops/test_images.hpp"
#include "simd_agreement.hpp"
#include "support/mpi_environment.hpp"
#include "tilewright/core/error.hpp"

namespace tilewright {
namespace {

using test::world;

/// As if the last rank's processor had no vectors.
SimdLevel best_but_on_last_rank() {
  return world().rank() == world().ranks() - 1 ? SimdLevel::scalar : best_simd_level();
}

TEST(AgreeOnSimdLevel, TakesTheHighestThatAllRanksHave) {
  const test::WithSimdLevel restored(best_simd_level());
  agree_on_simd_level(world(), {}, best_but_on_last_rank());
  EXPECT_EQ(current_simd_level(), SimdLevel::scalar);
  agree_on_simd_level(world(), {}, best_simd_level());
  EXPECT_EQ(current_simd_level(), best_simd_level());
}

TEST(AgreeOnSimdLevel, TakesWhatIsAskedFor) {
  const test::WithSimdLevel restored(best_simd_level());
  for (const SimdLevel level : test::simd_levels()) {
    agree_on_simd_level(world(), level, best_simd_level());
    EXPECT_EQ(current_simd_level(), level);
  }
}

TEST(AgreeOnSimdLevel, RefusesOnAllRanksWhatTheProcessorOfOneLacks) {
  EXPECT_THROW(agree_on_simd_level(world(), SimdLevel::avx512, best_but_on_last_rank()), ParameterError);
  EXPECT_EQ(current_simd_level(), best_simd_level());
}

}  // namespace
}  // namespace tilewright
