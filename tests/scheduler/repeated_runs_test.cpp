// Messages between ranks of a node in runs that follow each other: what scatters took that were measured as wholes.
#include "../../scheduler/repeated_runs.hpp"

#include <gtest/gtest.h>

#include "scheduler/planning.hpp"
#include "tilewright/transfers/small_runs.hpp"

namespace tilewright {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)

constexpr std::int64_t mebibyte = 1 << 20;
constexpr double warm_s = 1e-3, cold_s = 4e-3;

struct CopyCosts {
  double seconds_per_float = 1e-10;
  double seconds_per_byte = 2.5e-11;
};

/// Two ranks of one node, of which scatters take far longer than messages one after another would.
MachineProfile two_ranks(const CopyCosts& copies = {}) {
  const MachineProfile known = profile_of(SyntheticMachine{.latency_s = 1e-7,
                                                           .seconds_per_byte = 1e-11,
                                                           .seconds_per_value = 1e-11,
                                                           .seconds_per_copied_value = copies.seconds_per_float});
  std::vector<PathCell> cells = known.paths();
  for (const auto& [path, seconds] : {std::pair(Path::message_scatter, cold_s), {Path::message_scatter_warm, warm_s}})
    cells.push_back({path, Layout::cc, mebibyte, {seconds, 0, 9}});
  std::vector<OperatorCell> operators = known.operators();
  operators.push_back({"copy", PixelType::u8, 0, 65536, {copies.seconds_per_byte, 0, 0}});
  Fingerprint fingerprint = known.fingerprint();
  fingerprint.ranks = 2;
  fingerprint.nodes = 1;
  return {"two ranks", fingerprint, cells, operators};
}

SearchSpace by_messages() {
  SearchSpace space{.max_ranks = 2, .ranks_per_node = 2, .ranks = 2};
  space.grid = GridPattern{1, 2};
  space.tree = Algorithm::oft;
  space.distribution = Distribution::scatter;
  space.overlap = false;
  return space;
}

double scatter_s(const Plan& plan) {
  const auto scatter = std::ranges::find(plan.steps, StepKind::scatter, &PlanStep::kind);
  return scatter->predicted_seconds.value();
}

TEST(RepeatedRuns, ScatterInTheTimeThatWasMeasured) {
  const MachineProfile profile = two_ranks();
  const auto take = [&](std::int64_t side) {
    return scatter_s(plan_pipeline(filters({side, side}), profile, "", by_messages()));
  };
  EXPECT_NEAR(take(724), warm_s, 0.05 * warm_s) << "a tile of 1 MiB, of a run that stays in the caches";
  EXPECT_LT(scatter_s(plan_on(filters({724, 724}), profile, by_messages())), 0.1 * warm_s) << "not repeated";
  EXPECT_GT(take(4096), 3 * take(724)) << "nothing is left in the caches";
}

TEST(RepeatedRuns, ScatterInThatTimeHoweverDearCopiesOfOtherValuesAre) {
  const double copies_s = 0.3 * warm_s;
  const MachineProfile profile = two_ranks({copies_s / (mebibyte / 4), 2 * copies_s / mebibyte});
  const Plan plan = plan_pipeline(filters({724, 724}), profile, "", by_messages());
  EXPECT_NEAR(scatter_s(plan), warm_s, 0.05 * warm_s);
}

TEST(RepeatedRuns, KnowWhatTheModelSaysOfWholeScatters) {
  const MachineProfile profile = two_ranks();
  const auto model = make_cost_model("", profile);
  const Pipeline pipeline = filters();
  const Plan plan = plan_pipeline(pipeline, profile, *model, by_messages());
  const RepeatedRun run = repeated_run(plan, pipeline, profile, *model);
  const std::int64_t lent = is_lent(pipeline.image(0), {}) ? pipeline.image(0).shape.bytes() : 0;
  EXPECT_EQ(run.touched_bytes, plan.root_bytes + plan.rank_bytes + lent + pipeline.result_bytes());
  EXPECT_EQ(run.seconds, plan.predicted_seconds);
  EXPECT_EQ(run.ranks, 2);
  EXPECT_EQ(run.rank_bytes, plan.rank_bytes);
  ASSERT_EQ(run.scatters.size(), 1U);
  const PathCell small{Path::message_scatter, Layout::cc, mebibyte, {}};
  const Schedule scatter = make_schedule(transfer_of_small_run(small, TransferKind::scatter, 2));
  const ImageShape floats{{}, {PixelType::f32, 1}};
  const double copies_s = copy_seconds(profile, floats, scatter.copied_bytes() / 4);
  EXPECT_EQ(run.scatters.front(),
            (PricedScatter{mebibyte, Packing::datatype, model->transfer_seconds(scatter), copies_s}));
}

/// A price of the run's model is one of the profile's, times what the run makes of messages of that size.
TEST(RepeatedRuns, HaveModelsOfTheirOwn) {
  const MachineProfile profile = two_ranks();
  RepeatedRun run{.touched_bytes = mebibyte, .seconds = 0};
  run.scatters = {{mebibyte, Packing::datatype, warm_s / 2, 0}};
  const MachineProfile repeated = profile.for_repeated(run);
  for (const std::string_view name : {"p3pc", "loggp", "hockney"}) {
    const auto before = make_cost_model(name, profile);
    const auto model = make_cost_model(name, repeated);
    EXPECT_EQ(model->name(), name);
    const MessageForm form{Layout::cn, mebibyte, 4096, 4096, 8192};
    for (const Path path : {Path::send, Path::recv, Path::full})
      EXPECT_DOUBLE_EQ(model->message_seconds(path, form), 2 * before->message_seconds(path, form)) << name;
    EXPECT_EQ(model->message_seconds(Path::shift, form), before->message_seconds(Path::shift, form));
    EXPECT_EQ(model->wanted_cells(Path::full, form), before->wanted_cells(Path::full, form));
    EXPECT_EQ(model->packings(), before->packings());
    EXPECT_NE(model->statement().message, before->statement().message);
    EXPECT_EQ(model->depends_on(Path::send, TransferKind::gather),
              before->depends_on(Path::send, TransferKind::gather));
  }
}

}  // namespace
}  // namespace tilewright
