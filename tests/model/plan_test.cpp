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

TEST(StepKind, IsATransferIfItMovesAnImage) {
  EXPECT_EQ(transfer_kind(StepKind::allgather), TransferKind::allgather);
  for (const StepKind kind : {StepKind::compute, StepKind::reduce, StepKind::read, StepKind::write}) {
    EXPECT_EQ(transfer_kind(kind), std::nullopt);
  }
}

TEST(Site, IsReadAndPrinted) {
  for (const char* name : {"root", "tiles", "everywhere"}) EXPECT_EQ(to_string(parse_site(name)), name);
  EXPECT_THROW((void)parse_site("nowhere"), ParameterError);
}

TEST(PlanStep, SaysWhereItLeavesWholeImages) {
  const auto step = [](StepKind kind, Site site) {
    PlanStep made;
    made.kind = kind;
    made.site = site;
    return made;
  };
  EXPECT_TRUE(makes_whole(step(StepKind::compute, Site::root)));
  EXPECT_TRUE(makes_whole(step(StepKind::compute, Site::everywhere)));
  EXPECT_FALSE(makes_whole(step(StepKind::compute, Site::tiles)));
  EXPECT_TRUE(makes_whole_everywhere(step(StepKind::compute, Site::everywhere)));
  EXPECT_TRUE(makes_whole_everywhere(step(StepKind::broadcast, Site::root)));
  EXPECT_FALSE(makes_whole_everywhere(step(StepKind::compute, Site::root)));
  EXPECT_FALSE(makes_whole_everywhere(step(StepKind::gather, Site::tiles)));
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
