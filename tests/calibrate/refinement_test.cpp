#include "../../src/calibrate/refinement.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

namespace tilewright {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<RowPoint> row_of(const std::vector<std::int64_t>& sizes, const std::function<double(double)>& seconds,
                             double spread_s = 0) {
  std::vector<RowPoint> points;
  for (const std::int64_t bytes : sizes) points.push_back({bytes, {seconds(static_cast<double>(bytes)), spread_s, 5}});
  return points;
}

double line(double bytes) {
  return 1e-5 + bytes * 1e-9;
}
/// Rendezvous from 64 KiB on.
double step(double bytes) {
  return line(bytes) + (bytes < 65536 ? 0 : 1e-4);
}

TEST(Refinement, AStraightLineNeedsNone) {
  EXPECT_THAT(sizes_to_refine(row_of({0, 4096, 16384, 65536, 1 << 20}, line), 0.05, 4), IsEmpty());
}

TEST(Refinement, NoiseIsNoReason) {
  auto row = row_of({0, 4096, 16384, 65536}, line, 1e-5);
  row[2].time.seconds *= 1.2;
  EXPECT_THAT(sizes_to_refine(row, 0.05, 4), IsEmpty());
  row[2].time.seconds *= 4;
  EXPECT_THAT(sizes_to_refine(row, 0.05, 4), ElementsAre(512, 8192, 32768))
      << "but more than the noise is, on either side of all three chords";
}

TEST(Refinement, GoesOnUntilAStepIsBetweenNeighbours) {
  std::vector<std::int64_t> sizes{0, 4096, 16384, 200000, 1 << 20};
  for (int round = 0; round < 20; ++round) {
    const auto more = sizes_to_refine(row_of(sizes, step), 0.05, 4);
    if (more.empty()) break;
    ASSERT_LT(round, 19) << "no end";
    sizes.insert(sizes.end(), more.begin(), more.end());
    std::sort(sizes.begin(), sizes.end());
  }
  const auto above = std::lower_bound(sizes.begin(), sizes.end(), 65536);
  EXPECT_LT(static_cast<double>(*above), 1.04 * static_cast<double>(*(above - 1))) << "the step is found";
  EXPECT_LT(sizes.size(), 21U) << "and little else is measured";
}

TEST(Refinement, OfManySamplesTheNoiseIsTheirMiddles) {
  auto row = row_of({0, 4096, 16384, 65536}, line, 1e-5);
  row[2].time.seconds *= 1.5;
  EXPECT_THAT(sizes_to_refine(row, 0.05, 4), IsEmpty()) << "five samples";
  for (RowPoint& point : row) point.time.samples = 500;
  EXPECT_THAT(sizes_to_refine(row, 0.05, 4), ElementsAre(8192, 32768));
}

TEST(Refinement, AStepIsLookedForByMoreThanAFewSamplesUnlessItIsAJump) {
  const auto low_step = [](double bytes) { return line(bytes) + (bytes < 65536 ? 0 : 5e-5); };
  auto row = row_of({0, 60000, 70000, 1 << 20}, low_step);
  EXPECT_THAT(sizes_to_refine(row, 0.05, 4), testing::Contains(64808));
  for (RowPoint& point : row) point.time.samples = 3;
  EXPECT_THAT(sizes_to_refine(row, 0.05, 4), testing::Not(testing::Contains(64808)));
  auto high = row_of({0, 60000, 70000, 1 << 20}, step);
  for (RowPoint& point : high) point.time.samples = 3;
  EXPECT_THAT(sizes_to_refine(high, 0.05, 4), testing::Contains(64808)) << "two and a half times as long";
  for (RowPoint& point : high) point.time.samples = 2;
  EXPECT_THAT(sizes_to_refine(high, 0.05, 4), IsEmpty()) << "two samples tell nothing";
}

TEST(Refinement, AFallIsAStepToo) {
  const auto fall = [](double bytes) { return line(bytes) + (bytes < 65536 ? 2e-4 : 0); };
  EXPECT_THAT(sizes_within_steps(row_of({4096, 60000, 70000, 1 << 20}, fall), 4), ElementsAre(64808));
  const auto dent = [](double bytes) { return line(bytes) + (bytes < 65536 ? 5e-5 : 0); };
  EXPECT_THAT(sizes_within_steps(row_of({4096, 60000, 70000, 1 << 20}, dent), 4), IsEmpty()) << "what falls little";
}

TEST(Refinement, OfALongRowOnlyStepsAreNarrowedDown) {
  const auto bent = [](double bytes) { return step(bytes) + (bytes > 65536 ? 1e-9 * (bytes - 65536) : 0); };
  const auto row = row_of({0, 4096, 60000, 70000, 1 << 20, 4 << 20}, bent);
  EXPECT_THAT(sizes_to_refine(row, 0.05, 4), testing::SizeIs(testing::Gt(1U)));
  EXPECT_THAT(sizes_within_steps(row, 4), ElementsAre(64808));
  EXPECT_THAT(sizes_within_steps(row_of({0, 4096, 64000, 65600, 1 << 20}, step), 4), IsEmpty()) << "narrow enough";
}

TEST(Refinement, BelowAUnitSizesAreWholeValues) {
  const auto in_blocks = [](double bytes) { return line(bytes) + (bytes > 0 ? 1e-5 : 0); };  // none in an empty one
  EXPECT_THAT(sizes_to_refine(row_of({0, 256, 4000, 40000}, in_blocks), 0.05, 400), testing::Contains(32));
}

TEST(Refinement, KeepsToWholeUnits) {
  for (const std::int64_t bytes : sizes_to_refine(row_of({0, 4000, 40000, 400000}, step), 0.05, 400)) {
    EXPECT_EQ(bytes % 400, 0);
  }
}

}  // namespace
}  // namespace tilewright
