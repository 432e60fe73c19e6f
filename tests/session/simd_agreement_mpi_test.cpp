#include "simd_agreement.hpp"

#include <gtest/gtest.h>

#include "imgops/test_images.hpp"
#include "support/mpi_environment.hpp"
#include "tilewright/core/error.hpp"

namespace tilewright {
namespace {

using test::world;

TEST(AgreeOnSimdLevel, TakesTheHighestThatAllRanksHave) {
  const test::WithSimdLevel restored(best_simd_level());
  const bool is_last = world().rank() == world().ranks() - 1;
  agree_on_simd_level(world(), {}, is_last ? SimdLevel::scalar : best_simd_level());
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

TEST(AgreeOnSimdLevel, RefusesWhatAProcessorLacks) {
  if (best_simd_level() == SimdLevel::avx512) GTEST_SKIP() << "this processor lacks none";
  EXPECT_THROW(agree_on_simd_level(world(), SimdLevel::avx512, best_simd_level()), ParameterError);
}

}  // namespace
}  // namespace tilewright
