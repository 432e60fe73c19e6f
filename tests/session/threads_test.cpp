// How many threads a run and a dry run may choose from.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../src/session/planning.hpp"
#include "support/flat_profile.hpp"
#include "tilewright/imgops/arithmetic.hpp"
#include "tilewright/imgops/files.hpp"

namespace tilewright {
namespace {

MachineProfile with_cores(int cores) {
  const MachineProfile flat = test::flat_profile();
  Fingerprint fingerprint;
  fingerprint.cores_per_node = cores;
  fingerprint.nodes = 1;
  return {flat.name(), fingerprint, flat.paths(), flat.operators()};
}

Pipeline square_root() {
  const Image in(assumed_file("in.tif", ImageShape{{64, 64}, {PixelType::f32, 1}}));
  return record({{OutputKind::keep, sqrt(in), nullptr, nullptr}});
}

TEST(ThreadsOfARun, AreTheCoresOfThisMachineAndOfTheProfile) {
  const Communicator alone = Communicator::alone();
  ASSERT_GE(alone.cores_per_node(), 1);
  EXPECT_EQ(alone.cores_per_rank(), alone.cores_per_node());
  const auto threads = [&](const SessionOptions& options, const MachineProfile* profile) {
    return threads_of_rank(search_space_for_run(options, profile, alone), ProcessGrid{});
  };
  EXPECT_EQ(threads({}, nullptr), alone.cores_per_node());
  const MachineProfile one_core = with_cores(1);
  const MachineProfile unknown = with_cores(0);
  EXPECT_EQ(threads({}, &one_core), 1);
  EXPECT_EQ(threads({}, &unknown), alone.cores_per_node());
  SessionOptions forced;
  forced.threads = 3;
  EXPECT_EQ(threads(forced, &one_core), 3);
}

TEST(ThreadsOfARun, NeedNoProfile) {
  const Communicator alone = Communicator::alone();
  const SessionOptions options;
  const Plan plan = make_plan(square_root(), std::nullopt, search_space_for_run(options, nullptr, alone), options);
  EXPECT_EQ(plan.threads, alone.cores_per_node());
}

TEST(RanksOfADryRun, AreThoseThatCanBePriced) {
  std::vector<std::string> notes;
  SessionOptions options;
  options.nodes = NodeRange{1, 2};
  const MachineProfile alone("m", with_cores(4).fingerprint(), {}, with_cores(4).operators());
  EXPECT_EQ(search_space_for_dry_run(options, alone, notes).max_ranks, 1);
  EXPECT_THAT(notes, testing::Contains(testing::HasSubstr("calibrate with 2 ranks or more")));
  EXPECT_EQ(search_space_for_dry_run(options, with_cores(4), notes).max_ranks, 8);
  options.ranks = 16;
  const SearchSpace forced = search_space_for_dry_run(options, with_cores(4), notes);
  EXPECT_EQ(forced.max_ranks, 16) << "whoever forces ranks has them";
  EXPECT_EQ(forced.mappable_nodes, 4) << "and the nodes for them";
}

TEST(ThreadsOfADryRun, AreTheCoresOfItsNodes) {
  std::vector<std::string> notes;
  const SessionOptions options;
  const SearchSpace space = search_space_for_dry_run(options, with_cores(4), notes);
  EXPECT_EQ(space.ranks_per_node, 4);
  EXPECT_EQ(threads_of_rank(space, ProcessGrid{1, 1}), 4);
  EXPECT_EQ(threads_of_rank(space, ProcessGrid{1, 4}), 1);
  EXPECT_EQ(threads_of_rank(space, parse_grid("1x4@2")), 2);
  EXPECT_EQ(threads_of_rank(space, parse_grid("1x8@1")), 4) << "one rank a node has all of its cores";
  SessionOptions forced;
  forced.threads = 2;
  EXPECT_EQ(search_space_for_dry_run(forced, with_cores(4), notes).ranks_per_node, 2);
  EXPECT_EQ(threads_of_rank(search_space_for_dry_run(options, with_cores(0), notes), ProcessGrid{}), 1)
      << "cores are not known";
}

}  // namespace
}  // namespace tilewright
