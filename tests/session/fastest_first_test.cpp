// In which order the ranks of unequal nodes are used.
#include <gmock/gmock.h>

#include "../../src/session/planning.hpp"

namespace tilewright {
namespace {

using ::testing::ElementsAre;

const std::vector<NodeSpeed> speeds{{"a", 1}, {"b", 3}, {"c", 1}, {"d", 2}};

MachineProfile unequal() {
  std::vector<OperatorCell> cells{{"sqrt", PixelType::f32, 0, 4096, {1e-9, 0, 0}}};
  int number = 0;
  for (const NodeSpeed& node : speeds) {
    cells.push_back(node_pace_cell(number++, node.node));
    cells.back().time_per_unit.seconds = 1 / node.speed;
  }
  Fingerprint machine;
  machine.cores_per_node = 2;
  machine.nodes = 4;
  return {"unequal", machine, {}, std::move(cells)};
}

TEST(FastestFirst, TheRootsNodeLeadsAndTheFastestFollow) {
  EXPECT_THAT(fastest_first({"a", "b", "c", "d"}, speeds), ElementsAre(0, 1, 3, 2));
  EXPECT_THAT(fastest_first({"a", "c", "b", "d", "a", "b"}, speeds), ElementsAre(0, 4, 2, 5, 3, 1));
  EXPECT_THAT(fastest_first({"b", "a", "unknown", "d"}, speeds), ElementsAre(0, 3, 1, 2)) << "unknown ones are slow";
  EXPECT_THAT(fastest_first({"a"}, speeds), ElementsAre(0));
}

TEST(FastestFirst, ADryRunTakesTheNodesInThatOrder) {
  std::vector<std::string> notes;
  SessionOptions options;
  EXPECT_THAT(search_space_for_dry_run(options, unequal(), notes).rank_speeds, ElementsAre(1, 1, 3, 3, 2, 2, 1, 1));
  options.fastest_first = false;
  EXPECT_THAT(search_space_for_dry_run(options, unequal(), notes).rank_speeds, ElementsAre(1, 1, 3, 3, 1, 1, 2, 2));
}

TEST(FastestFirst, SharesByHandAreOfRanksAsTheyWereStarted) {
  std::vector<std::string> notes;
  SessionOptions options;
  options.grid = parse_grid_pattern("1x8[1:1:3:3:1:1:2:2]");
  EXPECT_THAT(search_space_for_dry_run(options, unequal(), notes).rank_speeds, ElementsAre(1, 1, 3, 3, 1, 1, 2, 2));
}

TEST(FastestFirst, OfOneRankOrWithoutAProfileRanksAreAsTheyWereStarted) {
  const Communicator alone = Communicator::alone();
  EXPECT_EQ(&ranks_to_plan_for({}, nullptr, alone), &alone);
  const MachineProfile profile = unequal();
  EXPECT_EQ(&ranks_to_plan_for({}, &profile, alone), &alone);
}

}  // namespace
}  // namespace tilewright
