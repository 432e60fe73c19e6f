// The plans of a program's segments: when they are searched, when they are used again, and what is said of nodes.
#include "../../src/session/segment_planner.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "../../src/session/kept_image.hpp"
#include "../../src/session/planning.hpp"
#include "support/temporary_folder.hpp"
#include "support/test_pipeline.hpp"
#include "support/test_profiles.hpp"
#include "tilewright/benchdb/store.hpp"
#include "tilewright/core/error.hpp"
#include "tilewright/explain/render.hpp"

namespace tilewright {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using testing::ThrowsMessage;

const ImageShape shape{{256, 256}, {PixelType::f32, 1}};

/// Tells how often it was asked what it costs: no plan is searched without that.
class CountingFilter final : public Operator {
 public:
  explicit CountingFilter(int& priced) : priced_(priced) {}
  [[nodiscard]] std::string describe() const override { return filter_.describe(); }
  [[nodiscard]] ImageShape shape(std::span<const ImageShape> inputs) const override { return filter_.shape(inputs); }
  [[nodiscard]] Halo halo() const override { return filter_.halo(); }
  [[nodiscard]] Border border() const override { return filter_.border(); }
  [[nodiscard]] std::vector<Work> work(std::span<const ImageShape> inputs, const Extent& tile) const override {
    ++priced_;
    return filter_.work(inputs, tile);
  }
  void compute(std::span<const ConstView> inputs, const MutableView& output,
               const ComputeContext& context) const override {
    filter_.compute(inputs, output, context);
  }
  void reference(std::span<const ConstView> inputs, const MutableView& output) const override {
    filter_.reference(inputs, output);
  }

 private:
  int& priced_;
  test::SumFilter filter_{{.halo = {1, 1}}};
};

class SegmentPlannerTest : public testing::Test {
 protected:
  SegmentPlannerTest() {
    options_.database = (folder_.path() / "bench.sqlite").string();
    options_.machine = "synthetic";
    options_.nodes = NodeRange{1, 4, true};
    Store(options_.database, OpenMode::create)
        .save({test::profile_of({.latency_s = 1e-7, .seconds_per_byte = 1e-8, .seconds_per_value = 1e-6}), {}});
  }

  /// The next turn of a loop: recorded anew, and as the one before.
  [[nodiscard]] Pipeline turn() {
    const Image kept(std::make_shared<const KeptImage>(shape, std::nullopt, nullptr));
    const Image filtered = apply(std::make_shared<const CountingFilter>(priced_), {kept});
    return record({{OutputKind::keep, filtered, nullptr, nullptr}});
  }

  [[nodiscard]] Plan dry_plan(const Pipeline& pipeline) const {
    return SegmentPlanner(alone_, options_, "program").dry_plan({pipeline}, 0).value();
  }

  /// That plan as one that was run, and is to be used from now on.
  void pin(const Plan& plan) const {
    Store store(options_.database, OpenMode::create);
    StoredRun run;
    run.pipeline = pipeline_name(plan.pipeline_hash);
    run.date = "2026-01-02T03:04:05Z";
    run.plan = render({plan}, PlanFormat::json);
    store.record_runs("synthetic", {run});
    store.pin("synthetic", store.runs("synthetic").front().id);
  }

  test::TemporaryFolder folder_;
  SessionOptions options_;
  Communicator alone_ = Communicator::alone();
  int priced_ = 0;
};

TEST_F(SegmentPlannerTest, ASegmentThatWasSeenBeforeIsNotSearchedAgain) {
  for (const bool is_dry : {true, false}) {
    SegmentPlanner planner(alone_, options_, "program");
    const auto plan = [&](const LoopHint& loop) {
      const Pipeline pipeline = turn();
      priced_ = 0;
      const SegmentQuestion question{pipeline, Purpose::work, loop};
      return is_dry ? planner.dry_plan(question, 0).value() : planner.agreed_plan(question, 0).value();
    };
    const Plan first = plan({.turns = 1, .turn = 1});
    EXPECT_GT(priced_, 0);
    EXPECT_EQ(plan({.turns = 1, .turn = 2}), first);
    EXPECT_EQ(priced_, 0);
    EXPECT_EQ(plan({.turns = 9, .turn = 3}).pipeline_hash, first.pipeline_hash);
    EXPECT_GT(priced_, 0) << "for many turns another plan may be better";
    EXPECT_EQ(plan({.turns = 8, .turn = 4}).pipeline_hash, first.pipeline_hash);
    EXPECT_EQ(priced_, 0);
  }
}

TEST_F(SegmentPlannerTest, OfKeptImagesTheWholeProgramTellsWhatFewerNodesTake) {
  const Plan kept = dry_plan(turn());
  ASSERT_TRUE(kept.node_curve);
  EXPECT_EQ(*kept.node_curve, (NodeCurve{1, 4, 1, {}}));
  const Plan written = dry_plan(record({test::write(test::filter({test::source({.extent = shape.extent})}, {}))}));
  ASSERT_TRUE(written.node_curve);
  EXPECT_EQ(written.node_curve->points.size(), 4U);
  options_.nodes = NodeRange{1, 4, false};
  EXPECT_FALSE(dry_plan(turn()).node_curve);
}

/// What forbids to leave images on the tiles is told by the plan of the same segment with images on the root.
TEST_F(SegmentPlannerTest, WhyImagesHadToBeBroughtHomeIsToldByThePlan) {
  options_.nodes.reset();
  options_.ranks = 2;
  SegmentPlanner planner(alone_, options_, "program");
  const auto plan_of = [&](const std::optional<ProcessGrid>& grid) {
    const Image kept(std::make_shared<const KeptImage>(shape, grid, nullptr));
    const Image filtered = test::filter({kept}, {.halo = {1, 1}});
    return planner.dry_plan({record({{OutputKind::keep, filtered, nullptr, nullptr}})}, 0);
  };
  EXPECT_EQ(plan_of(ProcessGrid{1, 4}), std::nullopt);
  const auto is_told = Contains(HasSubstr("images that were kept on the tiles were brought to the root: "));
  EXPECT_THAT(plan_of(std::nullopt)->notes, is_told);
  EXPECT_THAT(plan_of(std::nullopt)->notes, Not(is_told)) << "they were there already";
}

TEST_F(SegmentPlannerTest, AWishIsNotOverruledByAPinnedPlan) {
  const auto is_pinned = Contains(HasSubstr("pinned: the plan of a run of"));
  options_.nodes.reset();
  const Plan fastest = dry_plan(turn());
  ASSERT_GT(fastest.ranks, 1);
  pin(fastest);
  EXPECT_THAT(dry_plan(turn()).notes, is_pinned);
  options_.wishes.objective = Objective::node_hours;
  const Plan cheapest = dry_plan(turn());
  EXPECT_THAT(cheapest.notes, Not(is_pinned));
  EXPECT_EQ(cheapest.ranks, 1);
  options_.wishes = {.most_node_hours = 1};
  EXPECT_THAT(dry_plan(turn()).notes, Not(is_pinned));
}

TEST_F(SegmentPlannerTest, APinnedPlanGivesWayToWhatIsSaidOfPlanning) {
  pin(dry_plan(turn()));
  options_.nodes.reset();
  const auto notes_with = [&](const auto& change) {
    const SessionOptions before = options_;
    change();
    const std::vector<std::string> notes = dry_plan(turn()).notes;
    options_ = before;
    return notes;
  };
  const auto is_made_without = [](const std::string& option) {
    return Contains(HasSubstr("not the pinned plan: it was made without " + option));
  };
  EXPECT_THAT(notes_with([&] { options_.model = "p3pc"; }), is_made_without("--tw-model"));
  EXPECT_THAT(notes_with([&] { options_.operators_from = "synthetic"; }), is_made_without("--tw-operators-from"));
  EXPECT_THAT(notes_with([&] { options_.nodes = NodeRange{1, 4, true}; }), is_made_without("--tw-nodes"));
  EXPECT_THAT(notes_with([&] { options_.halo = HaloChoice::deep; }), is_made_without("--tw-halo"));
}

TEST_F(SegmentPlannerTest, ARunHasItsRanksWhateverNodesAreSaid) {
  options_.ranks = 1;
  pin(dry_plan(turn()));
  options_.ranks.reset();
  const Pipeline pipeline = turn();
  EXPECT_THAT(SegmentPlanner(alone_, options_, "program").agreed_plan({pipeline}, 0)->notes,
              Contains(HasSubstr("pinned: the plan of a run of")));
}

TEST_F(SegmentPlannerTest, APinnedPlanThatSharesMemoryNeedsRanksThatDo) {
  options_.nodes.reset();
  Plan plan = dry_plan(turn());
  ASSERT_GT(plan.ranks, 1);
  const auto scatter = std::find_if(plan.steps.begin(), plan.steps.end(),
                                    [](const PlanStep& step) { return step.kind == StepKind::scatter; });
  ASSERT_NE(scatter, plan.steps.end());
  scatter->algorithm = Algorithm::shared;
  pin(plan);
  EXPECT_THAT(dry_plan(turn()).notes, Contains(HasSubstr("not the pinned plan: it moves images through memory that")));
}

TEST_F(SegmentPlannerTest, APlanFileIsOfTheMachineThatIsNamed) {
  options_.plan_file = folder_.file("plan.json", render({dry_plan(turn())}, PlanFormat::json)).string();
  EXPECT_EQ(plans_from_file(options_).size(), 1U);
  options_.machine = "nowhere";
  EXPECT_THAT([&] { (void)plans_from_file(options_); },
              ThrowsMessage<ParameterError>(HasSubstr("was made for machine 'synthetic', not for 'nowhere'")));
  options_.machine.clear();
  EXPECT_EQ(plans_from_file(options_).size(), 1U);
  options_.model = "p3pc";
  options_.operators_from = "das";
  EXPECT_THAT([&] { (void)plans_from_file(options_); },
              ThrowsMessage<ParameterError>(HasSubstr("cannot be combined with --tw-operators-from, --tw-model")));
}

TEST_F(SegmentPlannerTest, AWishBesideAPlanFileIsRefused) {
  options_.plan_file = folder_.file("plan.json", render({dry_plan(turn())}, PlanFormat::json)).string();
  EXPECT_EQ(plans_from_file(options_).front().pipeline_hash, turn().hash());
  for (const Wishes& wishes : {Wishes{.objective = Objective::node_hours}, Wishes{.most_node_hours = 0.1}}) {
    options_.wishes = wishes;
    EXPECT_THAT(
        [&] { (void)plans_from_file(options_); },
        ThrowsMessage<ParameterError>(HasSubstr(wishes.most_node_hours ? "--tw-node-hours" : "--tw-objective")));
  }
}

}  // namespace
}  // namespace tilewright
