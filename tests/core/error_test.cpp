#include "tilewright/core/error.hpp"

#include <gtest/gtest.h>

#include <new>

namespace tilewright {
namespace {

TEST(ExitStatus, SaysWhoseFaultItIs) {
  EXPECT_EQ(exit_status(ParameterError("x")), 2);
  EXPECT_EQ(exit_status(RuntimeError("x")), 1);
  EXPECT_EQ(exit_status(InternalError("x")), 1);
  EXPECT_EQ(exit_status(std::bad_alloc()), 1);
  EXPECT_EQ(exit_status(std::runtime_error("x")), 1);
}

TEST(ExitStatus, FollowsTheClassAlsoThroughTheBase) {
  try {
    throw ParameterError("wrong");
  } catch (const Error& error) {
    EXPECT_EQ(exit_status(error), 2);
    EXPECT_STREQ(error.what(), "wrong");
  }
}

}  // namespace
}  // namespace tilewright
