// What each decision is worth: planned costs on a recorded machine, free against forbidden. A decision that nowhere
// saves ten per cent is not worth its place in the search.
#include "regret/decisions.hpp"

#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "regret/pipelines.hpp"
#include "tilewright/benchdb/exchange.hpp"
#include "tilewright/core/error.hpp"
#include "tilewright/imgops/files.hpp"
#include "tilewright/imgops/gaussian.hpp"
#include "tilewright/imgops/reductions.hpp"
#include "tilewright/scheduler/planner.hpp"

namespace tilewright::regret {
namespace {

constexpr double worth_having = 1.1;

/// The messages of the DAS as P-3PC's paper has them; and a processor of its time, which takes 5 ns a tap.
const MachineProfile& das() {
  static const MachineProfile profile = [] {
    const auto table = std::filesystem::path(TILEWRIGHT_SOURCE_DIR) / "benchdb/profiles/das.csv";
    constexpr double tap_s = 5e-9;
    std::vector<OperatorCell> operators;
    for (const double taps : {1.0, 100.0}) {
      operators.push_back({"convolve_separable", PixelType::f32, taps, 65536, {taps * tap_s, 0, 0}});
    }
    for (const char* key : {"copy", "fill_border"}) operators.push_back({key, PixelType::f32, 0, 65536, {tap_s, 0, 0}});
    return MachineProfile("das", {}, read_profile(table, "das").profile.paths(), std::move(operators));
  }();
  return profile;
}

Plan plan_of(const Pipeline& pipeline, const SearchSpace& space) {
  return plan_pipeline(pipeline, das(), *make_cost_model("", das()), space);
}

bool has_step(const Plan& plan, StepKind kind) {
  return std::any_of(plan.steps.begin(), plan.steps.end(), [&](const PlanStep& step) { return step.kind == kind; });
}

/// A reach of 240 pixels leaves a single grid of such an image four tiles at most; and where it leaves more, exchanged
/// borders are as large as the tiles.
TEST(Decisions, AChangeOfTheGridSavesTenPerCentOfLongFilters) {
  for (const int ranks : {8, 16, 24}) {
    const Pipeline pipeline = record_choice({.kind = Kind::wide_and_tall, .sigmas = {80}}, {512, 512});
    const Plan plan = plan_of(pipeline, {.max_ranks = ranks});
    EXPECT_TRUE(has_step(plan, StepKind::redistribute)) << ranks << " ranks";
    EXPECT_TRUE(plan.proven_optimal);
    const Plan on_one_grid = plan_of(pipeline, {.max_ranks = ranks, .regrid = Regrid::never});
    EXPECT_GT(*on_one_grid.predicted_seconds, worth_having * *plan.predicted_seconds) << ranks << " ranks";
  }
}

/// Files of a server that yields 8 MB/s to whoever reads: so many ranks at once read no faster together than one alone.
MachineProfile das_with_files(int ranks) {
  constexpr double value_s = 5e-7;
  std::vector<OperatorCell> operators = das().operators();
  operators.push_back({"read_tiff", PixelType::f32, 0, 65536, {value_s, 0, 0}});
  operators.push_back({"read_part", PixelType::f32, 0, 65536, {ranks * value_s, 0, 0}});
  operators.push_back({"reduce_sum", PixelType::f32, 0, 65536, {5e-9, 0, 0}});
  return {"das", {}, das().paths(), std::move(operators)};
}

/// What is saved is the scatter.
TEST(Decisions, ReadingFilesInPartsSavesTenPerCentOnASlowNetwork) {
  const Image in(assumed_file("in.tif", {{1024, 1024}, {PixelType::f32, 1}}));
  const Reduction total = sum(gaussian_derivative(in, {.sigma = 3, .order_x = 1}));
  const Pipeline pipeline = record({{OutputKind::reduce, total.image, nullptr, total.method}});
  for (const int ranks : {4, 8, 16}) {
    const MachineProfile profile = das_with_files(ranks);
    SearchSpace space{.max_ranks = ranks, .ranks = ranks};
    const Plan plan = plan_pipeline(pipeline, profile, *make_cost_model("", profile), space);
    EXPECT_TRUE(
        std::any_of(plan.steps.begin(), plan.steps.end(),
                    [](const PlanStep& step) { return step.kind == StepKind::read && step.site == Site::tiles; }))
        << ranks << " ranks";
    space.files = FileAccess::root;
    const Plan through_the_root = plan_pipeline(pipeline, profile, *make_cost_model("", profile), space);
    EXPECT_GT(*through_the_root.predicted_seconds, worth_having * *plan.predicted_seconds) << ranks << " ranks";
  }
}

/// As the proving ground tries them.
TEST(Decisions, EachSavesTenPerCentOnTheRecordedMachineOrMakesThePlanFit) {
  const auto recorded = std::filesystem::path(TILEWRIGHT_SOURCE_DIR) / "tests/regret/recorded/100mbit-20-8.csv";
  const MachineProfile profile = read_profile(recorded, "100mbit-20-8").profile;
  for (const Decision& decision : decisions_of({"100mbit", "20"})) {
    if (!decision.contested.pipeline.folder.empty()) continue;  // whose costs were not recorded there
    const Started started{.ranks = decision.contested.max_ranks};
    const Plan free = plan_of(decision, true, profile, started);
    const Plan forbidden = plan_of(decision, false, profile, started);
    const std::int64_t memory = decision.contested.node_memory;
    const auto fits = [&](const Plan& plan) { return memory == 0 || node_bytes(plan, started) <= memory; };
    EXPECT_TRUE(fits(free)) << decision.name;
    if (decision.name == "computing everywhere") {
      EXPECT_EQ(std::ranges::count(free.steps, Site::everywhere, &PlanStep::site), 1) << "all five in one pass";
    }
    if (!fits(forbidden)) continue;
    EXPECT_GT(*forbidden.predicted_seconds, worth_having * *free.predicted_seconds)
        << decision.name << ", " << decision.contested.name();
  }
}

TEST(Decisions, AreToldApart) {
  for (const Ground& ground : {Ground{"100mbit", "20"},
                               {"100mbit", "2"},
                               {"100mbit", "30,10"},
                               {"100mbit", "40", 2},
                               {"shared memory", "100"}}) {
    std::set<std::string> names;
    for (const Decision& decision : decisions_of(ground)) {
      EXPECT_FALSE(decision.forbidding.empty());
      EXPECT_TRUE(
          names.insert(decision.name + decision.contested.name() + fmt::format("{}", fmt::join(decision.given, " ")))
              .second);
    }
  }
  EXPECT_THROW((void)decisions_of({"token ring", "20"}), ParameterError);
}

}  // namespace
}  // namespace tilewright::regret
