#include "../../scheduler/work_pricer.hpp"

#include <gtest/gtest.h>

#include "support/test_profiles.hpp"

namespace tilewright {
namespace {

constexpr Extent tile{64, 64};
constexpr double units = 64.0 * 64;

OperatorCell cell(const std::string& key, double seconds, int ranks = 1, int threads = 1) {
  return {key, PixelType::f32, 0, units, {seconds, 0, 0}, ranks, threads};
}

Work work(const std::string& key, std::vector<Work> otherwise = {}) {
  return {.key = key, .units = units, .otherwise = std::move(otherwise)};
}

/// On nodes of two cores, with these cells alone.
MachineProfile with_cells(std::vector<OperatorCell> cells) {
  const MachineProfile profile = test::profile_of({.cores_per_node = 2});
  return {profile.name(), profile.fingerprint(), profile.paths(), std::move(cells)};
}

TEST(WorkPricer, AddsUpAList) {
  const MachineProfile profile = with_cells({cell("a", 1e-9), cell("b", 3e-9)});
  const SearchSpace space;
  WorkPricer pricer(profile, space);
  const std::vector<Work> list{work("a"), work("b"), work("a")};
  const WorkCost cost = pricer.cost(list, tile, false);
  EXPECT_NEAR(cost.seconds, 5e-9 * units, 1e-12);
  EXPECT_TRUE(cost.known);
  EXPECT_EQ(pricer.units_priced().size(), 2U) << "the same unit is asked for once";
}

TEST(WorkPricer, CountsInsteadOfWhatNobodyHasMeasuredWhatItIsMadeOf) {
  const MachineProfile profile = with_cells({cell("a", 1e-9), cell("b", 3e-9)});
  const SearchSpace space;
  WorkPricer pricer(profile, space);
  const std::vector<Work> list{work("a and b", {work("a"), work("b")})};
  EXPECT_NEAR(pricer.cost(list, tile, false).seconds, 4e-9 * units, 1e-12);
  EXPECT_TRUE(pricer.cost(list, tile, false).known);

  const std::vector<Work> with_unknown{work("a"), work("unknown")};
  const WorkCost cost = pricer.cost(with_unknown, tile, false);
  EXPECT_FALSE(cost.known);
  EXPECT_NEAR(cost.seconds, 1e-9 * units, 1e-12) << "it counts as nothing";
}

TEST(WorkPricer, LeavesAFifthOfWhatIsAddedHoweverMuchIsTakenOff) {
  const MachineProfile profile = with_cells({cell("a", 1e-9), cell("b", 3e-9)});
  const SearchSpace space;
  WorkPricer pricer(profile, space);
  Work taken_off = work("a");
  taken_off.units = -units;
  EXPECT_NEAR(pricer.cost(std::vector{work("b"), taken_off}, tile, false).seconds, 2e-9 * units, 1e-12);
  taken_off.units = -4 * units;
  EXPECT_NEAR(pricer.cost(std::vector{work("b"), taken_off}, tile, false).seconds, 0.6e-9 * units, 1e-12);
}

TEST(WorkPricer, OnTilesIsPricedByRanksThatWorkTogether) {
  const MachineProfile profile = with_cells({cell("a", 1e-9), cell("a", 2e-9, 4)});
  const SearchSpace space{.max_ranks = 4};
  WorkPricer pricer(profile, space);
  const std::vector<Work> list{work("a")};
  pricer.configure({.ranks = 4, .grid = {1, 4}});
  EXPECT_NEAR(pricer.cost(list, tile, true).seconds, 2e-9 * units, 1e-12);
  EXPECT_NEAR(pricer.cost(list, tile, false).seconds, 1e-9 * units, 1e-12) << "the root has its node to itself";
  pricer.configure({});
  EXPECT_TRUE(pricer.units_priced().empty()) << "they were those of another configuration";
}

TEST(WorkPricer, ThreadsThatOutnumberCoresTakeTurns) {
  const MachineProfile profile = with_cells({cell("a", 1e-9), cell("a", 0.5e-9, 1, 2), cell("a", 0.25e-9, 1, 4)});
  const SearchSpace space{.max_ranks = 4, .ranks_per_node = 4};
  WorkPricer pricer(profile, space);
  pricer.configure({.ranks = 4, .grid = {1, 4}});
  const std::vector<Work> list{work("a")};
  EXPECT_NEAR(pricer.cost(list, tile, false, 2).seconds, 0.5e-9 * units, 1e-12);
  EXPECT_NEAR(pricer.cost(list, tile, false, 4).seconds, 0.5e-9 * units, 1e-12);
  EXPECT_NEAR(pricer.cost(list, tile, true, 1).seconds, 2e-9 * units, 1e-12) << "four ranks share two cores";
}

TEST(WorkPricer, PiecesAreSharedByThreadsEvenly) {
  const MachineProfile profile = with_cells({cell("a", 1e-9), cell("a", 0.9e-9, 1, 2)});
  const SearchSpace space;
  WorkPricer pricer(profile, space);
  Work in_pieces = work("a");
  EXPECT_NEAR(pricer.cost(std::vector{in_pieces}, tile, false, 2).seconds, 0.9e-9 * units, 1e-12);
  in_pieces.piece = 1024;
  EXPECT_NEAR(pricer.cost(std::vector{in_pieces}, tile, false, 2).seconds, 0.5e-9 * units, 1e-12);
}

}  // namespace
}  // namespace tilewright
