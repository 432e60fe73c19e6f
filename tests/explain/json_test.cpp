#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sample_plans.hpp"
#include "tilewright/core/error.hpp"
#include "tilewright/explain/render.hpp"

namespace tilewright {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const std::size_t found = text.find(what);
  if (found == std::string::npos) throw std::logic_error("the text has no " + what);
  return text.replace(found, what.size(), by);
}

void expect_fault(const std::string& text, const std::string& reason) {
  EXPECT_THAT([&] { (void)plans_from_json(text); }, ThrowsMessage<ParameterError>(HasSubstr(reason)));
}

TEST(PlanJson, EveryPlanSurvivesTheRoundTrip) {
  std::vector<Plan> plans{test::eight_ranks(),
                          test::measured(test::eight_ranks()),
                          test::one_rank(),
                          Plan{},
                          test::with_curve(test::eight_ranks()),
                          test::tied(test::eight_ranks())};
  for (const Plan& plan : plans) {
    EXPECT_EQ(plans_from_json(render({plan}, PlanFormat::json)), std::vector<Plan>{plan});
  }
  EXPECT_EQ(plans_from_json(render(plans, PlanFormat::json)), plans);
}

TEST(PlanJson, EachMemberIsStored) {
  // A change of any member changes what is read back, so none is left out.
  const auto survives = [](const auto& change) {
    Plan plan = test::eight_ranks();
    change(plan);
    EXPECT_NE(plan, test::eight_ranks());
    EXPECT_EQ(plans_from_json(render({plan}, PlanFormat::json)).front(), plan);
  };
  survives([](Plan& p) { p.machine = "a \"b\"\n\\c"; });
  survives([](Plan& p) { p.model = ""; });
  survives([](Plan& p) { p.threads = most_threads; });
  survives([](Plan& p) { p.ranks_per_node = 1; });
  survives([](Plan& p) { p.predicted_seconds.reset(); });
  survives([](Plan& p) { p.predicted_seconds = 1.0 / 3; });
  survives([](Plan& p) { p.lower_bound_seconds.reset(); });
  survives([](Plan& p) { p.proven_optimal = true; });
  survives([](Plan& p) { p.partial = true; });
  survives([](Plan& p) { p.pipeline_hash = 0xffffffffffffffffULL; });
  survives([](Plan& p) { p.root_bytes = std::int64_t{1} << 60; });
  survives([](Plan& p) { p.rank_bytes = (std::int64_t{1} << 53) + 1; });
  survives([](Plan& p) { p.notes.clear(); });
  survives([](Plan& p) { p.images[1].storage_halo = {1, 2}; });
  survives([](Plan& p) { p.images[1].shape.format = {PixelType::u16, 4}; });
  survives([](Plan& p) { p.steps[3].kind = StepKind::allgather; });
  survives([](Plan& p) { p.steps[3].site = Site::root; });
  survives([](Plan& p) { p.steps[3].site = Site::everywhere; });
  survives([](Plan& p) { p.steps[3].image = 0; });
  survives([](Plan& p) { p.steps[3].output = 5; });
  survives([](Plan& p) { p.steps[3].operation = ""; });
  survives([](Plan& p) { p.steps[3].algorithm = Algorithm::sbt; });
  survives([](Plan& p) { p.steps[3].packing = Packing::datatype; });
  survives([](Plan& p) { p.steps[3].layout = "cc"; });
  survives([](Plan& p) { p.steps[3].exchanged = {0, 1}; });
  survives([](Plan& p) { p.steps[3].cyclic = true; });
  survives([](Plan& p) { p.steps[3].in_turn = true; });
  survives([](Plan& p) { p.steps[3].overlapped = true; });
  survives([](Plan& p) { p.alternatives[0].in_turn = true; });
  survives([](Plan& p) { p.steps[3].margin = {0, 2}; });
  survives([](Plan& p) { p.steps[3].grid = ProcessGrid{4, 1}; });
  survives([](Plan& p) { p.steps[3].former = ProcessGrid{1, 4}; });
  survives([](Plan& p) { p.steps[3].threads = 1; });
  survives([](Plan& p) { p.alternatives[0].second_grid = ProcessGrid{4, 1}; });
  survives([](Plan& p) { p.steps[3].messages = 1; });
  survives([](Plan& p) { p.steps[3].bytes = 1; });
  survives([](Plan& p) { p.steps[3].predicted_seconds.reset(); });
  survives([](Plan& p) { p.steps[3].measured_seconds = 0; });
  survives([](Plan& p) { p.steps[1].rejected.clear(); });
  survives([](Plan& p) { p.steps[3].rejected = {{Algorithm::oft, 1.0 / 3, "a \"b\""}}; });
  survives([](Plan& p) { p.steps[3].releases = {{1, true}, {1, false}}; });
  survives([](Plan& p) { p.alternatives[0].why_not = ""; });
  survives([](Plan& p) { p.alternatives[0].predicted_seconds = 4; });
  survives([](Plan& p) { p.alternatives[0].lower_bound_seconds = 4; });
  survives([](Plan& p) { p.uncertainty_seconds = 0; });
  survives([](Plan& p) { p.tie = TieZone{1, {3, 2}, 0.5}; });
  survives([](Plan& p) { p = test::with_curve(p); });
  survives([](Plan& p) {
    p = test::with_curve(p);
    p.node_curve->points[3].predicted_seconds.reset();
  });
}

TEST(PlanJson, FileNamesThatAreNotUtf8DoNotStopARun) {
  Plan plan = test::one_rank();
  plan.steps[0].operation = "gr\xfc\xdf.tif";
  const Plan read = plans_from_json(render({plan}, PlanFormat::json)).front();
  EXPECT_EQ(read.steps[0].operation, "gr\xEF\xBF\xBD\xEF\xBF\xBD.tif");
}

TEST(PlanJson, WhatIsNoPlanIsRefusedWithTheReason) {
  expect_fault("", "not JSON");
  expect_fault("{\n\"schema\": }", "line 2");
  expect_fault("[]", "top level is not a JSON object");
  expect_fault("{}", "schema is missing");
  const std::string good = render({test::eight_ranks()}, PlanFormat::json);
  expect_fault(good.substr(0, good.size() / 2), "not JSON");
  expect_fault(replaced(good, "plan/1", "plan/2"), "schema is 'tilewright.plan/2'");
  expect_fault(replaced(good, "\"machine\": \"das\"", "\"machine\": 3"), "machine is not a text");
  expect_fault(replaced(good, "\"machine\"", "\"machin\""), "machine is missing");
  expect_fault(replaced(good, "\"ranks\": 8", "\"ranks\": 0"), "ranks is 0");
  expect_fault(replaced(good, "\"ranks\": 8", "\"ranks\": 8.5"), "ranks is 8.5");
  expect_fault(replaced(good, "\"ranks\": 8", "\"ranks\": 4"), "grid 2x4 does not have the plan's 4 ranks");
  expect_fault(replaced(good, "\"2x4\"", "\"*x4\""), "grid");
  expect_fault(replaced(good, "\"2x4\"", "\"65536x65536\""), "16384 ranks at most");
  expect_fault(replaced(good, "\"threads\": 2", "\"threads\": 2147483647"), "threads is 2147483647");
  expect_fault(replaced(good, "\"threads\": 2", "\"threads\": 99999999999"), "threads is 99999999999");
  expect_fault(replaced(good, "\"threads\": 2", "\"threads\": 18446744073709551615"), "threads is");
  expect_fault(replaced(good, "\"predicted_seconds\": 0.0132", "\"predicted_seconds\": -1"), "is no time");
  expect_fault(replaced(good, "\"partial\": false", "\"partial\": 0"), "partial is neither true nor false");
  expect_fault(replaced(good, "\"0123456789abcdef\"", "\"0x12\""), "pipeline_hash");
  expect_fault(replaced(good, "\"0123456789abcdef\"", "\"\""), "pipeline_hash");
  expect_fault(replaced(good, "\"notes\": [", "\"notes\": [1, "), "notes has an element 0");
  expect_fault(replaced(good, "\"width\": 512", "\"width\": 0"), "images[0].width");
  expect_fault(replaced(good, "\"width\": 512", "\"width\": 1000000000000000000"), "images[0].width is too large");
  expect_fault(replaced(good, "\"x\": 9", "\"x\": 2305843009213693952"), "images[0].storage_halo.x");
  expect_fault(replaced(good, "\"channels\": 3", "\"channels\": 5"), "images[0].channels");
  expect_fault(replaced(good, "\"type\": \"u8\"", "\"type\": \"u7\""), "images[0].type");
  expect_fault(replaced(good, "\"kind\": \"read\"", "\"kind\": \"reed\""), "steps[0].kind");
  expect_fault(replaced(good, "\"image_index\": 0", "\"image_index\": 2"), "steps[0].image_index is 2");
  expect_fault(replaced(good, "\"image_index\": 0", "\"image_index\": -1"), "steps[0].image_index is -1");
  expect_fault(replaced(good, "\"image\": \"image0\"", "\"image\": \"image1\""), "steps[0].image");
  expect_fault(replaced(good, "\"algorithm\": \"oft\"", "\"algorithm\": \"otf\""), "steps[1].algorithm");
  expect_fault(replaced(good, "\"packing\": \"datatype\"", "\"packing\": 1"), "steps[1].packing");
  expect_fault(replaced(good, "\"site\": \"root\"", "\"site\": \"moon\""), "steps[0].site");
  expect_fault(replaced(good, "\"messages\": 7", "\"messages\": -7"), "steps[1].messages");
  expect_fault(replaced(good, "\"image\": 0,\n          \"whole\": true", "\"image\": 9,\n          \"whole\": true"),
               "steps[1].releases[0].image is 9");
  expect_fault(replaced(good, "\"why_not\": \"grid", "\"why\": \"grid"), "alternatives[0].why_not is missing");
  expect_fault(replaced(good, "\"why_not\"", "\"why\""), "steps[0].rejected[0].why_not is missing");
  expect_fault(replaced(good, "\"16x1\"", "\"16x2\""), "alternatives[0].grid");
}

TEST(PlanJson, WhatACurveSaysFollowsFromItsPoints) {
  const std::string good = render({test::with_curve(test::eight_ranks())}, PlanFormat::json);
  expect_fault(replaced(good, "\"recommended\": 8", "\"recommended\": 16"), "node_curve.recommended does not follow");
  expect_fault(replaced(good, "\"efficiency\": 1.0", "\"efficiency\": 0.9"), "node_curve.points does not follow");
  expect_fault(replaced(good, "\"node_bytes\": 25000000", "\"node_bytes\": -1"), "node_curve.points[0].node_bytes");
  expect_fault(replaced(good, "\"2x3\"", "\"3x3\""), "node_curve.points[1].grid");
}

TEST(PlanJson, TheTopLevelOfAProgramMustAgreeWithItsSegments) {
  const std::string good = render({test::one_rank(), test::eight_ranks()}, PlanFormat::json);
  EXPECT_EQ(plans_from_json(good).size(), 2U);
  expect_fault(replaced(good, "\"proven_optimal\": false", "\"proven_optimal\": true"),
               "proven_optimal does not agree");
  expect_fault(replaced(good, "\"algorithm\": \"oft\"", "\"algorithm\": \"sbt\""), "steps does not agree");
  expect_fault("{\"schema\": \"tilewright.plan/1\", \"segments\": []}", "segments has no plan");
  expect_fault("{\"schema\": \"tilewright.plan/1\", \"segments\": 1}", "segments is not an array");
}

}  // namespace
}  // namespace tilewright
