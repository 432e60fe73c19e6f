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

TEST(NodeBytes, AreThoseOfTheFullestNode) {
  EXPECT_EQ(node_bytes(100, 0, 1, 4), 100);
  EXPECT_EQ(node_bytes(100, 40, 3, 1), 100) << "one rank a node: the root's";
  EXPECT_EQ(node_bytes(100, 40, 3, 4), 180) << "all on one node";
  EXPECT_EQ(node_bytes(10, 40, 8, 4), 160) << "the root has little: the other node";
  EXPECT_EQ(node_bytes(10, 40, 6, 4), 130) << "of which the second has two ranks";
  EXPECT_EQ(node_bytes(0, 40, 2, 1), 40);
}

}  // namespace
}  // namespace tilewright
