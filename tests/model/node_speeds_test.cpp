#include "tilewright/model/node_speeds.hpp"

#include <gtest/gtest.h>

#include "tilewright/model/cell_names.hpp"
#include "tilewright/model/machine_profile.hpp"

namespace tilewright {
namespace {

OperatorCell pace(int number, const std::string& node, double seconds) {
  OperatorCell cell = node_pace_cell(number, node);
  cell.time_per_unit = {seconds, 0, 1};
  return cell;
}

using Speeds = std::vector<NodeSpeed>;

TEST(NodeSpeeds, AreTimesThatOfTheSlowest) {
  const std::vector<OperatorCell> cells{
      pace(0, "b", 0.25), {"copy", PixelType::f32, 0, 64, {9, 0, 0}}, pace(1, "a", 1)};
  EXPECT_EQ(node_speeds_of(cells), (Speeds{{"b", 4}, {"a", 1}}));
  const MachineProfile profile("m", {}, {}, cells);
  EXPECT_EQ(profile.node_speeds(), (Speeds{{"b", 4}, {"a", 1}}));
  EXPECT_EQ(speed_of(profile.node_speeds(), "b"), 4);
  EXPECT_EQ(speed_of(profile.node_speeds(), "c"), 1);
}

TEST(NodeSpeeds, OfNodesThatAreAlikeAreNone) {
  EXPECT_EQ(node_speeds_of({pace(0, "a", 0.9), pace(1, "b", 1)}), Speeds());
  EXPECT_EQ(node_speeds_of({}), Speeds());
  EXPECT_EQ(node_speeds_of({pace(0, "a", 0)}), Speeds()) << "not measured";
}

TEST(NodeSpeeds, ANodeThatWasMeasuredTwiceHasTheLowerOne) {
  EXPECT_EQ(node_speeds_of({pace(0, "a", 0.5), pace(1, "b", 1), pace(2, "a", 0.25)}), (Speeds{{"a", 2}, {"b", 1}}));
}

TEST(NodeSpeeds, AreKeptInCellsWithNames) {
  const OperatorCell cell = node_pace_cell(3, "node3.cluster");
  EXPECT_EQ(node_of_pace(cell), "node3.cluster");
  const auto read = operator_cell_named(cell_name(cell));
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, cell);
  EXPECT_FALSE(node_of_pace({"copy", PixelType::f32, 0, 64, {}}));
}

TEST(NodeSpeeds, StayWhenOperatorsAreTakenFromAnotherMachine) {
  const MachineProfile own("own", {}, {}, {pace(0, "a", 0.5), pace(1, "b", 1)});
  const MachineProfile other("other", {}, {},
                             {pace(0, "x", 0.1), pace(1, "y", 1), {"copy", PixelType::f32, 0, 64, {9, 0, 0}}});
  const MachineProfile both = own.with_operators_from(other);
  EXPECT_EQ(both.node_speeds(), (Speeds{{"a", 2}, {"b", 1}}));
  EXPECT_EQ(both.operator_seconds("copy", PixelType::f32, 0, 64), 9);
}

}  // namespace
}  // namespace tilewright
