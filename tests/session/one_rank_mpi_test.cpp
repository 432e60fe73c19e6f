// A plan of one rank reads, computes and writes each image where it lies: no large image is copied.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "support/flat_profile.hpp"
#include "support/mpi_environment.hpp"
#include "support/reference_run.hpp"
#include "support/test_pipeline.hpp"
#include "tilewright/imgops/files.hpp"
#include "tilewright/opencv.hpp"
#include "tilewright/runtime/executor.hpp"
#include "tilewright/scheduler/planner.hpp"

namespace tilewright {
namespace {

using test::world;

/// Where the first pixels of images lay, in the order in which they were given out or seen.
using Addresses = std::vector<const std::byte*>;

template <class View>
const std::byte* address_of(const View& view) {
  return view.bytes_at(0, 0);
}

class TellingSource final : public Source {
 public:
  explicit TellingSource(Addresses& loaded) : loaded_(loaded) {}
  [[nodiscard]] std::string describe() const override { return ramp_.describe(); }
  [[nodiscard]] ImageShape shape() const override { return ramp_.shape(); }
  [[nodiscard]] Raster load(const Halo& halo) const override {
    Raster raster = ramp_.load(halo);
    loaded_.push_back(address_of(raster.view()));
    return raster;
  }

 private:
  test::RampSource ramp_{{}};
  Addresses& loaded_;
};

class TellingFilter final : public Operator {
 public:
  TellingFilter(const test::SumFilter::Options& options, Addresses& read, Addresses& made)
      : filter_(options), read_(read), made_(made) {}
  [[nodiscard]] std::string describe() const override { return filter_.describe(); }
  [[nodiscard]] ImageShape shape(std::span<const ImageShape> inputs) const override { return filter_.shape(inputs); }
  [[nodiscard]] Halo halo() const override { return filter_.halo(); }
  [[nodiscard]] Border border() const override { return filter_.border(); }
  [[nodiscard]] std::vector<Work> work(std::span<const ImageShape> inputs, const Extent& tile) const override {
    return filter_.work(inputs, tile);
  }
  void compute(std::span<const ConstView> inputs, const MutableView& output,
               const ComputeContext& context) const override {
    for (const ConstView& input : inputs) read_.push_back(address_of(input));
    made_.push_back(address_of(output));
    filter_.compute(inputs, output, context);
  }
  void reference(std::span<const ConstView> inputs, const MutableView& output) const override {
    filter_.reference(inputs, output);
  }

 private:
  test::SumFilter filter_;
  Addresses& read_;
  Addresses& made_;
};

class TellingSink final : public Sink {
 public:
  explicit TellingSink(Addresses& stored) : stored_(stored) {}
  [[nodiscard]] std::string describe() const override { return "telling"; }
  [[nodiscard]] std::vector<Work> work(const ImageShape& /*image*/) const override { return {}; }
  [[nodiscard]] std::int64_t scratch_bytes(const ImageShape& /*image*/) const override { return 0; }
  void check(const ImageShape& /*image*/) const override {}
  void check_writable() const override {}
  void store(const ConstView& image) const override { stored_.push_back(address_of(image)); }

 private:
  Addresses& stored_;
};

/// Runs it on one rank of those that there are.
ExecutionResult run_on_one_rank(const Pipeline& pipeline) {
  const MachineProfile profile = test::flat_profile();
  SearchSpace space{.max_ranks = world().ranks(), .ranks_per_node = world().ranks()};
  space.ranks = 1;
  const Plan plan = plan_pipeline(pipeline, profile, *make_cost_model("p3pc", profile), space);
  ExecutionResult result = execute(plan, pipeline, world());
  if (world().is_root()) {
    EXPECT_EQ(result.trace.peak_bytes.front(), plan.root_bytes);
  }
  return result;
}

/// Two filters of the source with other halos and borders, one without a halo of their results, and one of that.
TEST(OneRank, CopiesNoImage) {
  Addresses loaded, read, made, stored;
  const Image in(std::make_shared<TellingSource>(loaded));
  const auto filtered = [&](const std::vector<Image>& images, const Halo& halo, Border border) {
    return tilewright::apply(
        std::make_shared<TellingFilter>(test::SumFilter::Options{.halo = halo, .border = border}, read, made), images);
  };
  const Image wide = filtered({in}, {5, 1}, Border::wrap);
  const Image high = filtered({in}, {0, 4}, Border::replicate);
  const Image sum = filtered({wide, high}, {}, Border::reflect101);
  const Image last = filtered({sum}, {2, 2}, Border::constant);
  std::vector<OutputRequest> outputs;
  for (const Image& image : {in, wide, sum, last}) {
    outputs.push_back({OutputKind::write, image, std::make_shared<TellingSink>(stored), nullptr});
  }
  const Pipeline pipeline = record(outputs);
  (void)run_on_one_rank(pipeline);
  if (!world().is_root()) return;
  ASSERT_EQ(loaded.size(), 1U);
  ASSERT_EQ(made.size(), 4U);
  EXPECT_EQ(read, (Addresses{loaded[0], loaded[0], made[0], made[1], made[2]}));
  EXPECT_EQ(stored, (Addresses{loaded[0], made[0], made[2], made[3]}));
}

/// A filter of the image, and the image itself, stored; what was read, made and stored.
struct Filtered {
  explicit Filtered(std::shared_ptr<const Source> source) : in(std::move(source)) {
    const Image wide =
        tilewright::apply(std::make_shared<TellingFilter>(test::SumFilter::Options{.halo = {5, 1}}, read, made), {in});
    trace = run_on_one_rank(record({{OutputKind::write, wide, std::make_shared<TellingSink>(stored), nullptr},
                                    {OutputKind::write, in, std::make_shared<TellingSink>(stored), nullptr}}))
                .trace;
  }
  Image in;
  Addresses read, made, stored;
  Trace trace;
};

constexpr Extent large{1200, 1024};

/// A large image in memory has no room for a border: its middle is read where it lies.
void expect_read_where_it_lies(Raster pixels) {
  const std::byte* const first = address_of(std::as_const(pixels).view());
  const Filtered filtered(image_in_memory(std::move(pixels), "memory"));
  if (!world().is_root()) return;
  ASSERT_EQ(filtered.read.size(), 5U) << "the middle, and four strips";
  EXPECT_EQ(filtered.read.front(), first);
  EXPECT_EQ(filtered.stored, (Addresses{filtered.made.front(), first}));
  const std::int64_t image_bytes = filtered.in.shape().bytes();
  EXPECT_LT(filtered.trace.peak_bytes.front(), 2 * image_bytes) << "the image in memory is the program's";
}

TEST(OneRank, ReadsALargeImageInMemoryWhereItLies) {
  expect_read_where_it_lies(test::RampSource({.extent = large}).load({}));
  expect_read_where_it_lies(test::RampSource({.extent = large}).load({3, 2}));
}

TEST(OneRank, ReadsAMatrixWhereItLies) {
  const cv::Mat mat(large.height, large.width, CV_32F, cv::Scalar(3));
  const Raster shared = shared_from_mat(mat);
  EXPECT_EQ(address_of(shared.view()), reinterpret_cast<const std::byte*>(mat.data));
  expect_read_where_it_lies(shared_from_mat(mat));
}

TEST(OneRank, CopiesASmallImageInMemoryOnce) {
  Raster pixels = test::RampSource({}).load({});
  const std::byte* const first = address_of(std::as_const(pixels).view());
  const Filtered filtered(image_in_memory(std::move(pixels), "memory"));
  if (!world().is_root()) return;
  ASSERT_EQ(filtered.read.size(), 1U);
  EXPECT_NE(filtered.read.front(), first);
  EXPECT_EQ(filtered.stored, (Addresses{filtered.made.front(), filtered.read.front()}));
}

TEST(OneRank, ReadsAFileIntoRoomForBorders) {
  const std::string file =
      std::filesystem::temp_directory_path() / ("tilewright-one-rank-" + std::to_string(getpid()) + ".tif");
  image_file_sink(file)->store(test::RampSource({.extent = large}).load({}).view());
  const Filtered filtered(image_file(world().broadcast(file)));
  world().barrier();
  std::filesystem::remove(file);
  if (!world().is_root()) return;
  EXPECT_EQ(filtered.read.size(), 1U);
  EXPECT_EQ(filtered.stored, (Addresses{filtered.made.front(), filtered.read.front()}));
}

void expect_reference_from_memory(const Extent& extent, int channels, const Halo& halo, Border border) {
  const Image in(image_in_memory(test::RampSource({.extent = extent, .channels = channels}).load({1, 2}), "memory"));
  const Image sum = test::filter({in, in}, {.halo = halo, .border = border});
  const auto sink = std::make_shared<test::MemorySink>();
  const Pipeline pipeline = record({{OutputKind::write, sum, sink, nullptr}});
  (void)run_on_one_rank(pipeline);
  if (!world().is_root()) return;
  const std::vector<Raster> expected = test::reference_images(pipeline);
  EXPECT_TRUE(same_pixels(sink->stored().view(), expected.back().view()))
      << to_string(extent) << " " << halo.x << " " << halo.y << " " << to_string(border);
}

TEST(OneRank, GivesTheReferencesPixelsFromMemory) {
  for (const Halo& halo : {Halo{2, 3}, {5, 0}, {0, 4}}) {
    for (const Border border : all_borders) {
      for (const Extent& extent : {Extent{64, 48}, {7, 5}, {3, 9}, {9, 2}, {1, 1}}) {
        expect_reference_from_memory(extent, 2, halo, border);
      }
    }
  }
  // 4 MiB and more
  expect_reference_from_memory({600, 450}, 4, {1, 2}, Border::wrap);
  expect_reference_from_memory({600, 450}, 4, {2, 1}, Border::reflect101);
  expect_reference_from_memory({90000, 3}, 4, {0, 4}, Border::replicate);
  expect_reference_from_memory({2, 135000}, 4, {5, 0}, Border::reflect);
}

/// Of a program's own, which yields as many values as it is told to.
class Counting final : public test::TotalReduction {
 public:
  explicit Counting(std::size_t values) : values_(values) {}
  [[nodiscard]] std::vector<double> finish(std::span<const std::byte> /*partial*/,
                                           const ImageShape& /*image*/) const override {
    return std::vector<double>(values_, 1.0);
  }

 private:
  std::size_t values_;
};

TEST(OneRank, AReductionHasOneValueAChannel) {
  if (world().ranks() > 1) GTEST_SKIP() << "the others would wait for the root";
  const auto run = [&](std::size_t values) {
    const Image in = test::source({.extent = {8, 8}, .channels = 2});
    const Pipeline pipeline = record({{OutputKind::reduce, in, nullptr, std::make_shared<Counting>(values)}});
    const MachineProfile profile = test::flat_profile();
    const Plan plan = plan_pipeline(pipeline, profile, *make_cost_model("p3pc", profile), {});
    return execute(plan, pipeline, world()).outputs.front().values.size();
  };
  EXPECT_EQ(run(2), 2U);
  for (const std::size_t values : {0U, 1U, 3U}) EXPECT_THROW((void)run(values), ParameterError) << values;
}

}  // namespace
}  // namespace tilewright
