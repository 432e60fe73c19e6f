#include <gtest/gtest.h>

#include "support/mpi_environment.hpp"
#include "tilewright/calibrate/states.hpp"
#include "tilewright/core/error.hpp"

namespace tilewright {
namespace {

using test::world;

TEST(PresentState, IsKnownOnTheRoot) {
  if (world().ranks() == 1) {
    EXPECT_THROW((void)present_state(world()), ParameterError);
    return;
  }
  const double seconds = present_state(world());
  EXPECT_EQ(seconds > 0, world().is_root());
  EXPECT_LT(seconds, 1) << "there and back";
}

}  // namespace
}  // namespace tilewright
