#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "sample_plans.hpp"
#include "tilewright/explain/render.hpp"

namespace tilewright {
namespace {

using testing::HasSubstr;

/// The difference of a plan to the same after `change`.
template <class Change>
std::string after(Change&& change) {
  Plan changed = test::eight_ranks();
  change(changed);
  EXPECT_NE(changed, test::eight_ranks());
  return diff({test::eight_ranks()}, {changed});
}

TEST(PlanDiff, EqualPlansHaveNone) {
  EXPECT_EQ(diff({test::eight_ranks()}, {test::eight_ranks()}), "");
  EXPECT_EQ(diff({test::one_rank(), test::eight_ranks()}, {test::one_rank(), test::eight_ranks()}), "");
  EXPECT_EQ(diff({}, {}), "");
}

TEST(PlanDiff, TheConfigurationIsCompared) {
  EXPECT_EQ(after([](Plan& p) { p.machine = "fs0"; }), "machine:         das -> fs0\n");
  EXPECT_EQ(after([](Plan& p) {
              p.ranks = 4;
              p.grid = {1, 4};
            }),
            "ranks:           8 -> 4\ngrid:            2x4 -> 1x4\n");
  EXPECT_EQ(after([](Plan& p) { p.predicted_seconds = 0.0264; }), "predicted:       13.2 ms -> 26.4 ms (+100.0 %)\n");
  EXPECT_EQ(after([](Plan& p) { p.predicted_seconds = 0.01320001; }), "predicted:       0.0132 s -> 0.01320001 s\n");
  EXPECT_EQ(after([](Plan& p) { p.predicted_seconds.reset(); }), "predicted:       13.2 ms -> unknown\n");
  EXPECT_EQ(after([](Plan& p) { p.root_bytes += 1; }), "memory of root:  5242880 B -> 5242881 B\n");
  EXPECT_EQ(after([](Plan& p) { p.proven_optimal = true; }), "proof:           not proven optimal -> proven optimal\n");
}

TEST(PlanDiff, StepsAreComparedInOrder) {
  EXPECT_EQ(after([](Plan& p) { p.steps[1].algorithm = Algorithm::sbt; }),
            "steps:\n"
            "  - scatter image0 with halo 4x3 (tiles, oft, datatype, nc, 7 messages, 344064 bytes, releases image0)\n"
            "  + scatter image0 with halo 4x3 (tiles, sbt, datatype, nc, 7 messages, 344064 bytes, releases image0)\n");
  EXPECT_EQ(after([](Plan& p) { p.steps.erase(p.steps.begin() + 4); }),
            "steps:\n  - reduce mean of image1 (tiles, sbt, output 0)\n");
  EXPECT_EQ(after([](Plan& p) { p.steps[2].predicted_seconds = 0.00162; }),
            "times:\n  exchange image0, halo 9x7, across the edges: predicted 810 us -> 1.62 ms (+100.0 %)\n");
  EXPECT_THAT(after([](Plan& p) { p.steps[6].measured_seconds = 1; }), HasSubstr("measured unknown -> 1.00 s"));
}

TEST(PlanDiff, NoDifferenceGoesUnnoticed) {
  EXPECT_NE(after([](Plan& p) { p.model = "x"; }), "");
  EXPECT_NE(after([](Plan& p) { p.threads = 1; }), "");
  EXPECT_EQ(after([](Plan& p) { p.ranks_per_node = 4; }), "ranks a node:    3 -> 4\n");
  EXPECT_NE(after([](Plan& p) { p.lower_bound_seconds.reset(); }), "");
  EXPECT_NE(after([](Plan& p) { p.partial = true; }), "");
  EXPECT_NE(after([](Plan& p) { p.pipeline_hash = 1; }), "");
  EXPECT_NE(after([](Plan& p) { p.rank_bytes = 1; }), "");
  EXPECT_NE(after([](Plan& p) { p.notes.pop_back(); }), "");
  EXPECT_NE(after([](Plan& p) { p.images[0].shape.format.channels = 1; }), "");
  EXPECT_NE(after([](Plan& p) { p.steps[5].releases.clear(); }), "");
  EXPECT_NE(after([](Plan& p) { p.alternatives[2].why_not = ""; }), "");
  EXPECT_NE(after([](Plan& p) { p.alternatives[6].lower_bound_seconds = 0.02; }), "");
  EXPECT_NE(after([](Plan& p) { p.alternatives[2].predicted_seconds = 0.0135 + 1e-12; }), "");
  EXPECT_EQ(after([](Plan& p) { p.uncertainty_seconds = 1; }), "uncertainty:     unknown -> 1.00 s\n");
  EXPECT_THAT(after([](Plan& p) { p = test::tied(p); }), HasSubstr("tie:             none -> 0.01305 s as 4x3, zone"));
  EXPECT_THAT(after([](Plan& p) { p = test::with_curve(p); }),
              HasSubstr("nodes:\n  + 2 nodes: 4 ranks as 2x2, 51.2 ms, 23.8 MiB of a node\n"));
  EXPECT_NE(after([](Plan& p) { p.steps[5].exchanged = {1, 1}; }), "");  // not shown: a gather has no halo
  EXPECT_THAT(after([](Plan& p) { p.steps[1].exchanged = {9, 7}; }), HasSubstr("+ scatter image0 with halo 9x7"));
  EXPECT_THAT(after([](Plan& p) { p.steps[3].grid = ProcessGrid{8, 1}; }), HasSubstr(", on 8x1"));
  EXPECT_THAT(after([](Plan& p) { p.steps[3].threads = 1; }), HasSubstr(", by 1 thread"));
  EXPECT_THAT(after([](Plan& p) { p.steps[3].margin = {3, 3}; }), HasSubstr(", computed 3 pixels beyond the tile"));
}

TEST(PlanDiff, AlternativesAreComparedWithThoseOfTheSameConfiguration) {
  const Alternative four{4, {2, 2}, 0.5, "slower"};
  const Alternative eight{8, {2, 4}, 0.25, "slower"};
  const Alternative sixteen{16, {4, 4}, {}, "too large"};
  Alternative faster = eight;
  faster.predicted_seconds = 0.125;
  Plan a = test::eight_ranks();
  Plan b = a;
  a.alternatives = {four, eight};
  b.alternatives = {faster, sixteen};
  EXPECT_EQ(diff({a}, {b}),
            "not chosen:\n"
            "  - 4 ranks, 2x2, 500 ms: slower\n"
            "  - 8 ranks, 2x4, 250 ms: slower\n"
            "  + 8 ranks, 2x4, 125 ms: slower\n"
            "  + 16 ranks, 4x4, unknown: too large\n");
  b.alternatives = {eight, four};
  EXPECT_THAT(diff({a}, {b}), HasSubstr("compare the JSON")) << "only their order differs";
}

TEST(PlanDiff, ManyAlternativesTakeLittleMemory) {
  Plan a = test::eight_ranks();
  a.alternatives.clear();
  for (int ranks = 1; ranks <= 40000; ++ranks) a.alternatives.push_back({ranks, {1, ranks}, 1.0 + ranks, "slower"});
  Plan b = a;
  for (Alternative& other : b.alternatives) *other.predicted_seconds += 1e6;
  const std::string text = diff({a}, {b});
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1 + 2 * 40000);
}

TEST(PlanDiff, ProgramsGetAPatch) {
  using nlohmann::json;
  const std::vector<Plan> a{test::eight_ranks()};
  const json equal = json::parse(diff_json(a, a));
  EXPECT_EQ(equal.at("schema"), "tilewright.plan-diff/1");
  EXPECT_TRUE(equal.at("equal").get<bool>());
  EXPECT_TRUE(equal.at("patch").empty());
  std::vector<Plan> b = a;
  b.front().threads = 7;
  const json changed = json::parse(diff_json(a, b));
  EXPECT_FALSE(changed.at("equal").get<bool>());
  const json patched = json::parse(render(a, PlanFormat::json)).patch(changed.at("patch"));
  EXPECT_EQ(patched, json::parse(render(b, PlanFormat::json)));
}

TEST(PlanDiff, ProgramsAreComparedSegmentBySegment) {
  const std::string text = diff({test::one_rank(), test::eight_ranks()}, {test::one_rank()});
  EXPECT_THAT(text, HasSubstr("segments:        2 -> 1\n"));
  Plan changed = test::eight_ranks();
  changed.threads = 7;
  EXPECT_EQ(diff({test::one_rank(), test::eight_ranks()}, {test::one_rank(), changed}),
            "segment 2:\nthreads:         2 -> 7\n");
}

}  // namespace
}  // namespace tilewright
