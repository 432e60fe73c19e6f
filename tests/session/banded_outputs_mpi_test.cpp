// Results that are only written and reduced are computed and put out in bands of rows, and never exist as whole images.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <thread>

#include "support/flat_profile.hpp"
#include "support/mpi_environment.hpp"
#include "support/test_pipeline.hpp"
#include "tilewright/core/error.hpp"
#include "tilewright/imgops/arithmetic.hpp"
#include "tilewright/imgops/files.hpp"
#include "tilewright/imgops/fusion.hpp"
#include "tilewright/imgops/gaussian.hpp"
#include "tilewright/imgops/reductions.hpp"
#include "tilewright/runtime/executor.hpp"
#include "tilewright/scheduler/planner.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

constexpr Extent extent{1100, 2003};  // of no round number of bands or strips

class BandedOutputs : public testing::Test {
 protected:
  /// Of all ranks.
  BandedOutputs()
      : folder_(test::world().broadcast(fs::temp_directory_path() / ("tilewright-bands-" + std::to_string(getpid())))) {
    if (test::world().is_root()) fs::create_directories(folder_);
    test::world().barrier();
  }
  ~BandedOutputs() override {
    test::world().barrier();
    if (test::world().is_root()) fs::remove_all(folder_);
  }

  [[nodiscard]] std::string path(const std::string& name) const { return folder_ / name; }
  [[nodiscard]] OutputRequest to_file(const Image& image, const std::string& name) const {
    return {OutputKind::write, image, image_file_sink(path(name)), nullptr};
  }
  [[nodiscard]] Raster read(const std::string& name) const { return image_file(path(name))->load({}); }

 private:
  fs::path folder_;
};

Image large_source() {
  return test::source({.extent = extent});
}

Plan plan_of(const Pipeline& pipeline, int threads) {
  const MachineProfile profile = test::flat_profile();
  SearchSpace space{.max_ranks = 1, .ranks_per_node = 1};
  space.threads = threads;
  return plan_pipeline(pipeline, profile, *make_cost_model("p3pc", profile), space);
}

/// The bands in which the last operator computes.
int bands_of(const Plan& plan) {
  int bands = 0;
  for (const PlanStep& step : plan.steps) {
    if (step.kind == StepKind::compute) bands = step.bands;
  }
  return bands;
}

Trace run(const Plan& plan, const Pipeline& pipeline, bool analyze = false) {
  const Trace trace =
      execute(plan, pipeline, Communicator::alone(), {.timing = analyze ? Timing::each_step : Timing::whole}).trace;
  EXPECT_EQ(trace.peak_bytes.front(), plan.root_bytes);
  return trace;
}

TEST_F(BandedOutputs, StoreWhatWholeImagesWouldBe) {
  if (!test::world().is_root()) return;
  const Image in = large_source();
  const Image lx = gaussian_derivative(in, {.sigma = 2, .order_x = 1});
  const Image lyy = gaussian_derivative(in, {.sigma = 2, .order_y = 2});
  const Image picture = convert(sqrt(lx * lx + lyy * lyy), PixelType::u8);
  const std::vector<Image> images{lx, lyy, picture, picture};
  const std::vector<std::string> names{"lx.tif", "lyy.tif", "picture.png", "picture.pgm"};
  std::vector<OutputRequest> files, fetches;
  for (std::size_t i = 0; i < images.size(); ++i) {
    files.push_back(to_file(images[i], names[i]));
    fetches.push_back(test::fetch(images[i]));
  }
  const Pipeline whole = record(fetches);  // each operator by itself, whole images
  const ExecutionResult expected = execute(sequential_plan(whole, 1), whole, Communicator::alone(), {});
  const Pipeline pipeline = fused(record(files));
  for (const int threads : {1, 2, 3, 8}) {
    for (const bool analyze : {false, true}) {
      const Plan plan = plan_of(pipeline, threads);
      ASSERT_GT(bands_of(plan), 2);
      const Trace trace = run(plan, pipeline, analyze);
      for (std::size_t i = 0; i < names.size(); ++i) {
        EXPECT_TRUE(same_pixels(read(names[i]).view(), expected.outputs[i].pixels->view())) << names[i];
        fs::remove(path(names[i]));
      }
      double sum = 0;
      for (const PlanStep& step : trace.plan.steps) sum += step.measured_seconds.value_or(0);
      EXPECT_EQ(sum > 0, analyze);
      EXPECT_LE(sum, trace.measured_seconds) << "steps that are done together share their time";
    }
  }
}

TEST_F(BandedOutputs, AreTheRootsWhereOtherRanksIdle) {
  const Pipeline pipeline = record({to_file(test::filter({large_source()}, {.halo = {1, 2}}), "a.tif")});
  const Plan plan = plan_of(pipeline, 2);
  ASSERT_GT(bands_of(plan), 1);
  const Trace trace = execute(plan, pipeline, test::world(), {.timing = Timing::each_step}).trace;
  if (!test::world().is_root()) return;
  EXPECT_EQ(trace.peak_bytes.front(), plan.root_bytes);
  EXPECT_EQ(read("a.tif").shape().extent, extent);
  for (const PlanStep& step : trace.plan.steps) EXPECT_GT(step.measured_seconds.value_or(0), 0);
}

/// On all ranks, those that have nothing to do included.
TEST_F(BandedOutputs, ReduceWhatWholeImagesWould) {
  const Image in = large_source();
  const Image lx = gaussian_derivative(in, {.sigma = 2, .order_x = 1});
  const Image lyy = gaussian_derivative(in, {.sigma = 2, .order_y = 2});
  const Image strength = sqrt(lx * lx + lyy * lyy);
  const auto requests = [&](OutputKind of_strength) {
    std::vector<OutputRequest> outputs;
    for (const Reduction& wanted : {sum(strength), max(strength), min(lx)})
      outputs.push_back({OutputKind::reduce, wanted.image, nullptr, wanted.method});
    if (of_strength == OutputKind::write) outputs.push_back(to_file(strength, "strength.tif"));
    return outputs;
  };
  const Pipeline each_alone = record(requests(OutputKind::reduce));
  Plan whole_images = sequential_plan(each_alone, 1);
  for (PlanStep& step : whole_images.steps) step.bands = 1;
  const ExecutionResult expected = execute(whole_images, each_alone, test::world());
  for (const OutputKind of_strength : {OutputKind::reduce, OutputKind::write}) {
    const Pipeline pipeline = fused(record(requests(of_strength)));
    for (const int threads : {1, 2, 8}) {
      const Plan plan = plan_of(pipeline, threads);
      ASSERT_GT(bands_of(plan), 2);
      const ExecutionResult result = execute(plan, pipeline, test::world());
      for (std::size_t i = 0; i < expected.outputs.size(); ++i) {
        EXPECT_EQ(result.outputs[i].values, expected.outputs[i].values) << "output " << i;
      }
      if (!test::world().is_root()) continue;
      EXPECT_EQ(result.trace.peak_bytes.front(), plan.root_bytes);
    }
  }
}

TEST_F(BandedOutputs, TakeNoMemoryForWholeImages) {
  if (!test::world().is_root()) return;
  const Image in = large_source();
  const Pipeline banded = record({to_file(test::filter({in}, {.halo = {2, 2}}), "a.tif")});
  const Image kept = test::filter({in}, {.halo = {2, 2}});
  const Pipeline whole = record({to_file(kept, "a.tif"), test::fetch(kept)});
  const std::int64_t image_bytes = 4 * extent.pixels();
  const Plan in_bands = plan_of(banded, 1);
  const Plan as_whole = plan_of(whole, 1);
  EXPECT_GT(bands_of(in_bands), 1);
  EXPECT_EQ(bands_of(as_whole), 1) << "the program gets it";
  EXPECT_LT(in_bands.root_bytes, image_bytes + image_bytes * 4 / bands_of(in_bands));
  EXPECT_GT(as_whole.root_bytes, 2 * image_bytes);
  (void)run(in_bands, banded);
}

TEST_F(BandedOutputs, AreNotPlannedWhereSomebodyElseWantsAResult) {
  if (!test::world().is_root()) return;
  const auto bands = [&](const std::vector<OutputRequest>& outputs) { return bands_of(plan_of(record(outputs), 2)); };
  const Image made = test::filter({large_source()});
  EXPECT_GT(bands({to_file(made, "a.tif")}), 1);
  EXPECT_GT(bands({to_file(made, "a.tif"), to_file(made, "b.tif")}), 1);
  EXPECT_EQ(bands({to_file(made, "a.tif"), to_file(made, "a.tif")}), 1) << "two writers of one file";
  EXPECT_GT(bands({to_file(made, "a.tif"), test::reduce(made)}), 1);
  EXPECT_GT(bands({test::reduce(made), to_file(made, "a.tif")}), 1);
  EXPECT_GT(bands({test::reduce(made), test::reduce(made)}), 1);
  EXPECT_EQ(bands({test::reduce(made), test::fetch(made)}), 1);
  EXPECT_EQ(bands({to_file(test::filter({test::source()}), "a.tif")}), 1) << "a small image";
}

/// In the middle of the rows, or after them.
class FailingSink final : public Sink {
 public:
  explicit FailingSink(bool fails_at_the_end) : fails_at_the_end_(fails_at_the_end) {}
  [[nodiscard]] std::string describe() const override { return "failing"; }
  [[nodiscard]] std::vector<Work> work(const ImageShape& /*image*/) const override { return {}; }
  [[nodiscard]] std::int64_t scratch_bytes(const ImageShape& /*image*/) const override { return 0; }
  void check(const ImageShape& /*image*/) const override {}
  void check_writable() const override {}
  void store(const ConstView& /*image*/) const override {}
  [[nodiscard]] std::unique_ptr<ImageWriter> open(const ImageShape& /*image*/) const override {
    class Writer final : public ImageWriter {
     public:
      explicit Writer(bool fails_at_the_end) : fails_at_the_end_(fails_at_the_end) {}
      void put(const ConstView& rows) override {
        if (!fails_at_the_end_ && rows.area().y0 > 0) throw RuntimeError("the disk is full");
      }
      void finish() override {
        if (fails_at_the_end_) throw RuntimeError("the disk is full");
      }

     private:
      bool fails_at_the_end_;
    };
    return std::make_unique<Writer>(fails_at_the_end_);
  }

 private:
  bool fails_at_the_end_;
};

TEST_F(BandedOutputs, LeaveNothingIfOneFails) {
  if (!test::world().is_root()) return;
  const Image made = test::filter({large_source()}, {.halo = {1, 1}});
  for (const bool fails_at_the_end : {false, true}) {
    const Pipeline pipeline =
        record({to_file(made, "a.tif"),
                {OutputKind::write, made, std::make_shared<FailingSink>(fails_at_the_end), nullptr},
                to_file(made, "b.tif")});
    for (const int threads : {1, 2, 8}) {
      try {
        (void)run(plan_of(pipeline, threads), pipeline);
        ADD_FAILURE() << "nothing failed";
      } catch (const RuntimeError& error) {
        EXPECT_STREQ(error.what(), "the disk is full");
      }
      EXPECT_TRUE(fs::is_empty(fs::path(path("a.tif")).parent_path()));
    }
  }
}

TEST_F(BandedOutputs, AreRefusedInPlansThatUseTheImageLater) {
  if (!test::world().is_root()) return;
  const Image made = test::filter({large_source()});
  const Pipeline pipeline = record({to_file(made, "a.tif"), test::fetch(made)});
  Plan plan = plan_of(pipeline, 1);
  for (PlanStep& step : plan.steps) {
    if (step.kind == StepKind::compute) step.bands = 4;
  }
  EXPECT_THROW((void)execute(plan, pipeline, Communicator::alone(), {}), ParameterError);
}

}  // namespace
}  // namespace tilewright
