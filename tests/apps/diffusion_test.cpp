// A program that loops until its pixels hardly change: segment after segment.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "calibrated_folder.hpp"
#include "tilewright/benchdb/store.hpp"

namespace tilewright::test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class Diffusion : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder.emplace("diffusion", Extent{96, 80});
    alone = application(0, "in.pgm alone.tif --tolerance 0.5");
    ASSERT_EQ(alone.status, 0) << alone.error;
  }
  static Outcome application(int ranks, const std::string& arguments) {
    return folder->run_program(ranks, "diffusion", arguments);
  }
  static inline std::optional<CalibratedFolder> folder;
  static inline Outcome alone;
};

TEST_F(Diffusion, EndsAlikeOnAllRanks) {
  EXPECT_THAT(alone.out, HasSubstr(" turns"));
  EXPECT_NE(alone.out, "1 turns\n");
  EXPECT_NE(alone.out, "1000 turns\n");
  for (const int ranks : {2, 3}) {
    const Outcome many = application(ranks, fmt::format("in.pgm many.tif --tolerance 0.5 --tw-ranks={}", ranks));
    ASSERT_EQ(many.status, 0) << many.error;
    EXPECT_EQ(many.out, alone.out);
    EXPECT_TRUE(folder->are_equal("alone.tif", "many.tif")) << ranks << " ranks";
  }
}

/// The kinds of steps of a plan's segment.
std::vector<std::string> kinds_of(const json& segment) {
  std::vector<std::string> kinds;
  for (const json& step : segment.at("steps")) kinds.push_back(step.at("kind"));
  return kinds;
}

/// On a recorded machine: whether a turn exchanges borders, or gathers and scatters, is a matter of what messages take.
TEST_F(Diffusion, GoesOnOnTheTilesWhereItsImagesStay) {
  const Outcome imported =
      folder->run_command(fmt::format("{} db import {}/tests/regret/recorded/100mbit-20-8.csv --machine recorded",
                                      program("tilewright"), TILEWRIGHT_SOURCE_DIR));
  ASSERT_EQ(imported.status, 0) << imported.error;
  for (const char* const forced :
       {"--tw-grid=1x3", "--tw-grid=3x1 --tw-tree=sbt", "--tw-grid=3x1[2:1:3] --tw-halo=deep",
        "--tw-grid=1x3 --tw-distribution=broadcast"}) {
    const Outcome kept =
        application(3, fmt::format("in.pgm kept.tif --tolerance 0.5 --tw-keep=tiles {} --tw-machine=recorded "
                                   "--tw-explain --tw-explain-format=json --tw-explain-file=kept.json",
                                   forced));
    ASSERT_EQ(kept.status, 0) << kept.error;
    EXPECT_EQ(kept.out, alone.out);
    EXPECT_TRUE(folder->are_equal("alone.tif", "kept.tif")) << forced;
    const json segments = folder->segments("kept.json");
    ASSERT_GT(segments.size(), 6U);
    EXPECT_THAT(kinds_of(segments[0]), ::testing::Contains(::testing::AnyOf("scatter", "broadcast")));
    for (std::size_t i = 1; i + 1 < segments.size(); ++i) {
      EXPECT_THAT(kinds_of(segments[i]),
                  ::testing::Not(::testing::Contains(::testing::AnyOf("scatter", "broadcast", "gather"))))
          << i;
    }
    EXPECT_THAT(kinds_of(segments.back()), ::testing::ElementsAre("read", "gather", "write"));
  }
}

TEST_F(Diffusion, FollowsAPlanFileFromTurnToTurn) {
  const std::string arguments = "in.pgm planned.tif --tolerance 0.5 --tw-keep=tiles --tw-grid=1x2";
  ASSERT_EQ(application(2, arguments + " --tw-explain --tw-explain-format=json --tw-explain-file=plan.json").status, 0);
  const Outcome planned = application(2, "in.pgm planned.tif --tolerance 0.5 --tw-plan=plan.json");
  EXPECT_EQ(planned.status, 0) << planned.error;
  EXPECT_EQ(planned.out, alone.out);
  EXPECT_TRUE(folder->are_equal("alone.tif", "planned.tif"));
}

TEST_F(Diffusion, FollowsThePlanOfADryRunThatExpectedOtherTurns) {
  for (const int expected : {3, 40}) {
    for (const char* const kept : {"root", "tiles"}) {
      const std::string plan = fmt::format(
          "{} plan --format json -- {} in.pgm dry.tif --tolerance 0.5 --expected {} --tw-keep={} --tw-grid=1x2 > "
          "dry.json",
          program("tilewright"), program("diffusion"), expected, kept);
      ASSERT_EQ(folder->run_command(plan).status, 0);
      const Outcome planned = application(2, "in.pgm dry.tif --tolerance 0.5 --tw-plan=dry.json");
      ASSERT_EQ(planned.status, 0) << expected << ' ' << kept << ": " << planned.error;
      EXPECT_EQ(planned.out, alone.out);
      EXPECT_TRUE(folder->are_equal("alone.tif", "dry.tif"));
    }
  }
}

TEST_F(Diffusion, IsPlannedAsOftenAsItIsExpectedToTurn) {
  // Left free, what the last turns do depends on the calibration: there is less and less to gain from tiles.
  for (const char* const given : {"--tw-keep=root", "--tw-keep=tiles --tw-grid=1x2"}) {
    const Outcome plan = folder->run_command(fmt::format("{} plan --format json -- {} in.pgm no.tif --expected 7 {}",
                                                         program("tilewright"), program("diffusion"), given));
    ASSERT_EQ(plan.status, 0) << plan.error;
    const json segments = json::parse(plan.out).at("segments");
    ASSERT_EQ(segments.size(), 1 + 2 * 7 + 1U) << "the input, two of each turn, the output";
    // Two turns tell what is handed on; the third may bring images to the tiles, for all that follow.
    for (std::size_t i = 9; i + 1 < segments.size(); ++i) {
      EXPECT_EQ(segments[i].at("steps"), segments[i - 2].at("steps")) << i << ' ' << given;
      if (given == std::string("--tw-keep=root")) {
        EXPECT_EQ(segments[i], segments[i - 2]) << i;
      }
    }
  }
}

/// This machine with an old processor.
void add_slow_machine(const std::filesystem::path& database) {
  Store store(database, OpenMode::create);
  const MachineProfile here = store.profile(store.machines().front().name);
  std::vector<OperatorCell> operators = here.operators();
  for (OperatorCell& cell : operators) cell.time_per_unit.seconds *= 300;
  store.save({MachineProfile("slow", here.fingerprint(), here.paths(), std::move(operators)), {}});
}

TEST_F(Diffusion, TellsWhatItTakesOnEachCountOfNodes) {
  add_slow_machine(folder->file("bench.sqlite"));
  const auto plan_on = [](const std::string& nodes) {
    const Outcome plan = folder->run_command(
        fmt::format("{} plan --machine slow --nodes {} --assume large.pgm=512x512:u8 --format json -- {} large.pgm "
                    "no.tif --expected 12 | tee plan.json",
                    program("tilewright"), nodes, program("diffusion")));
    EXPECT_EQ(plan.status, 0) << plan.error;
    return json::parse(plan.out);
  };
  const json plan = plan_on("1..3");
  EXPECT_EQ(folder->run_command(program("tilewright") + " plan --diff plan.json plan.json").status, 0);
  EXPECT_LE(plan.at("lower_bound_seconds"), plan.at("predicted_seconds"));
  EXPECT_FALSE(plan.at("alternatives").empty());
  const json& points = plan.at("node_curve").at("points");
  ASSERT_EQ(points.size(), 3U);
  for (int nodes = 1; nodes <= 3; ++nodes) {
    const json& point = points[static_cast<std::size_t>(nodes - 1)];
    EXPECT_EQ(point.at("nodes"), nodes);
    EXPECT_EQ(point.at("predicted_seconds"), plan_on(std::to_string(nodes)).at("predicted_seconds")) << nodes;
  }
  EXPECT_EQ(points.back().at("predicted_seconds"), plan.at("predicted_seconds"));
  EXPECT_LT(points.back().at("predicted_seconds"), points.front().at("predicted_seconds"));
}

TEST_F(Diffusion, SaysWhyTheGridCannotBeChangedAsForced) {
  const std::string forced = "in.pgm regridded.tif --tw-regrid=always ";
  EXPECT_THAT(application(3, forced).error, HasSubstr("no operator reads what another one has made"));
  const Outcome refused = application(3, forced + "--tw-keep=tiles");
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.error, HasSubstr("--tw-keep=root beside --tw-regrid=always"));
}

}  // namespace
}  // namespace tilewright::test
