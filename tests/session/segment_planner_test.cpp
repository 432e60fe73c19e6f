// The plans of a program's segments: when they are searched, when they are used again, and what is said of nodes.
#include "../../src/session/segment_planner.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "../../src/session/kept_image.hpp"
#include "benchdb/temporary_folder.hpp"
#include "support/test_pipeline.hpp"
#include "support/test_profiles.hpp"
#include "tilewright/benchdb/store.hpp"

namespace tilewright {
namespace {

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
    return SegmentPlanner(alone_, options_, "program").dry_plan({pipeline}).value();
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
      return is_dry ? planner.dry_plan(question).value() : planner.agreed_plan(question, 0).value();
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

}  // namespace
}  // namespace tilewright
