#include "tilewright/model/plan.hpp"

#include <gtest/gtest.h>

#include "tilewright/core/error.hpp"

namespace tilewright {
namespace {

TEST(StepKind, HasTheNamesOfTheDesign) {
  for (const char* name : {"compute", "scatter", "gather", "broadcast", "allgather", "exchange", "redistribute",
                           "reduce", "read", "write"}) {
    EXPECT_EQ(to_string(parse_step_kind(name)), name);
  }
  EXPECT_THROW((void)parse_step_kind("transfer"), ParameterError);
}

TEST(Site, IsReadAndPrinted) {
  EXPECT_EQ(to_string(parse_site("root")), "root");
  EXPECT_EQ(to_string(parse_site("tiles")), "tiles");
  EXPECT_THROW((void)parse_site("everywhere"), ParameterError);
}

}  // namespace
}  // namespace tilewright
