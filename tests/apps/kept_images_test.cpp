// Images that segments leave on the tiles of different grids, or of one that later ones cannot use.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "calibrated_folder.hpp"

namespace tilewright::test {
namespace {

using nlohmann::json;

class KeptImages : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder.emplace("kept_images", Extent{96, 88});
    alone = application(0, "in.pgm alone.tif");
    ASSERT_EQ(alone.status, 0) << alone.error;
  }
  static Outcome application(int ranks, const std::string& arguments) {
    return folder->run_program(ranks, "kept_images", arguments);
  }
  static inline std::optional<CalibratedFolder> folder;
  static inline Outcome alone;
};

/// Whether an image that was kept is gathered, and nothing else is done.
bool brings_home(const json& segment) {
  return segment.at("steps").size() == 2 &&
         segment.at("steps")[0].at("operator").get<std::string>().starts_with("kept") &&
         segment.at("steps")[1].at("kind") == "gather";
}

TEST_F(KeptImages, ComeHomeWhereLaterSegmentsCannotUseThem) {
  const std::string explained = " --tw-explain --tw-explain-format=json --tw-explain-file=";
  for (const char* const forced : {"--tw-ranks=4", "--tw-ranks=2", "--tw-ranks=3 --tw-tiles=even", ""}) {
    const Outcome kept =
        application(4, fmt::format("in.pgm kept.tif --tw-keep=tiles {}{}kept.json", forced, explained));
    ASSERT_EQ(kept.status, 0) << kept.error;
    EXPECT_EQ(kept.out, alone.out) << forced;
    EXPECT_TRUE(folder->are_equal("alone.tif", "kept.tif")) << forced;
  }
}

TEST_F(KeptImages, OnTwoGridsAreUsedOnOne) {
  const Outcome kept = application(4,
                                   "in.pgm kept.tif --tw-keep=tiles --tw-ranks=4 --tw-halo=shallow --tw-explain "
                                   "--tw-explain-format=json --tw-explain-file=kept.json");
  ASSERT_EQ(kept.status, 0) << kept.error;
  const json segments = folder->segments("kept.json");
  std::set<std::string> grids;
  int homecomings = 0;
  for (const json& segment : segments) {
    grids.insert(segment.at("grid"));
    homecomings += brings_home(segment);
  }
  EXPECT_TRUE(grids.contains("1x4")) << "the wide filter";
  EXPECT_TRUE(grids.contains("4x1")) << "the tall filter";
  EXPECT_GE(homecomings, 1);
  EXPECT_TRUE(folder->are_equal("alone.tif", "kept.tif"));
}

/// The dry run decides as the run does.
TEST_F(KeptImages, ArePlannedAsTheyAreRun) {
  ASSERT_EQ(application(2,
                        "in.pgm kept.tif --tw-keep=tiles --tw-ranks=2 --tw-explain --tw-explain-format=json "
                        "--tw-explain-file=kept.json")
                .status,
            0);
  const Outcome plan = folder->run_command(fmt::format(
      "TILEWRIGHT_KEEP=tiles TILEWRIGHT_RANKS=2 {} plan --assume-value 1 --format json -- {} in.pgm kept.tif",
      program("tilewright"), program("kept_images")));
  ASSERT_EQ(plan.status, 0) << plan.error;
  const json planned = json::parse(plan.out).at("segments");
  const json ran = folder->segments("kept.json");
  ASSERT_EQ(planned.size(), ran.size());
  for (std::size_t i = 0; i < ran.size(); ++i) {
    EXPECT_EQ(planned[i].at("pipeline_hash"), ran[i].at("pipeline_hash")) << i;
  }
}

}  // namespace
}  // namespace tilewright::test
