// Files that ranks read in parts: the same pixels as through the root, for every grid, halo, border and kind of pixel;
// and who does not see the file that the root sees makes nobody wait.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <random>

#include "support/expect_reference.hpp"
#include "support/flat_profile.hpp"
#include "support/mpi_environment.hpp"
#include "support/tested_ranks.hpp"
#include "tilewright/core/error.hpp"
#include "tilewright/imgops/arithmetic.hpp"
#include "tilewright/imgops/convolution.hpp"
#include "tilewright/imgops/files.hpp"
#include "tilewright/imgops/fusion.hpp"
#include "tilewright/imgops/gaussian.hpp"
#include "tilewright/imgops/reductions.hpp"
#include "tilewright/runtime/executor.hpp"
#include "tilewright/runtime/files_in_sight.hpp"
#include "tilewright/scheduler/planner.hpp"

namespace tilewright {
namespace {

using test::world;

Raster noise(const ImageShape& shape) {
  std::mt19937 random(1);
  Raster raster(shape);
  with_type(shape.format.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* values = raster.at<T>(0, 0);
    for (std::int64_t i = 0; i < shape.extent.pixels() * shape.format.channels; ++i) {
      values[i] = static_cast<T>(static_cast<T>(random() % 251) / static_cast<T>(3));
    }
  });
  return raster;
}

/// A folder that all ranks see; the root's end is its end.
class FilesInParts : public testing::Test {
 protected:
  FilesInParts() {
    std::string made = (std::filesystem::temp_directory_path() / "tilewright-test-XXXXXX").string();
    if (world().is_root() && ::mkdtemp(made.data()) == nullptr) throw std::runtime_error("no temporary folder");
    folder_ = world().broadcast(made);
  }
  ~FilesInParts() override {
    world().barrier();
    std::error_code ignored;
    if (world().is_root()) std::filesystem::remove_all(folder_, ignored);
  }

  /// The path of a file of noise.
  [[nodiscard]] std::string file(const ImageShape& shape, const std::string& name = "in.tif") const {
    const std::string path = folder_ + "/" + name;
    world().barrier();
    if (world().is_root()) image_file_sink(path)->store(noise(shape).view());
    world().barrier();
    return path;
  }

  /// How many there are, hidden ones included.
  [[nodiscard]] std::int64_t files() const {
    world().barrier();
    const auto count = std::distance(std::filesystem::directory_iterator(folder_), {});
    world().barrier();
    return count;
  }

 private:
  std::string folder_;
};

/// As a session has it: the root knows the file, the others its shape.
Image image_at(const std::string& path, const ImageShape& shape) {
  return Image(world().is_root() ? image_file(path) : assumed_file(path, shape));
}

using Outputs = std::function<std::vector<OutputRequest>(const Image&)>;

Plan plan_of(const Pipeline& pipeline, const SearchSpace& space) {
  static const MachineProfile profile = test::flat_profile();
  return plan_pipeline(pipeline, profile, *make_cost_model("p3pc", profile), space);
}

bool reads_on_tiles(const Plan& plan) {
  return std::any_of(plan.steps.begin(), plan.steps.end(),
                     [](const PlanStep& step) { return step.kind == StepKind::read && step.site == Site::tiles; });
}

void run_and_compare(const Pipeline& pipeline, const Pipeline& recorded, const SearchSpace& space) {
  const Plan plan = plan_of(pipeline, space);
  EXPECT_EQ(reads_on_tiles(plan), space.files == FileAccess::parallel);
  const ExecutionResult result = execute(plan, pipeline, world());
  test::expect_reference(result, plan, recorded);
}

/// On every grid that can hold it, with shallow and with deep halos, in parallel and through the root.
void run_everywhere(const std::string& path, const ImageShape& shape, const Outputs& outputs) {
  const Pipeline pipeline = fused(record(outputs(image_at(path, shape))));
  const Pipeline recorded = record(outputs(Image(image_file(path))));
  for (const int ranks : test::tested_ranks(world().ranks(), 2)) {
    for (const ProcessGrid& grid : grids_of(ranks)) {
      for (const FileAccess files : {FileAccess::root, FileAccess::parallel}) {
        for (const std::optional<HaloChoice> halo : {std::optional(HaloChoice::shallow), {}}) {
          SearchSpace space{.max_ranks = world().ranks(), .grid = GridPattern{grid.x, grid.y}};
          space.halo = halo;
          space.files = files;
          SCOPED_TRACE(to_string(grid) + (files == FileAccess::root ? " through the root" : " in parallel") +
                       (halo ? ", shallow" : ""));
          try {
            run_and_compare(pipeline, recorded, space);
          } catch (const ParameterError& error) {  // the grid does not hold it: the same on every rank
            EXPECT_NE(std::string(error.what()).find("no plan is possible"), std::string::npos) << error.what();
          }
        }
      }
    }
  }
}

OutputRequest fetch(const Image& image) {
  return {OutputKind::fetch, image, nullptr, nullptr};
}

TEST_F(FilesInParts, OfEveryTypeAndBorder) {
  for (const PixelType type : all_pixel_types) {
    for (const int channels : {1, 3}) {
      const ImageShape shape{{37, 29}, {type, channels}};
      const std::string path = file(shape);
      for (const Border border : all_borders) {
        if (border != Border::wrap && (type != PixelType::f32 || channels != 1)) continue;  // all with one of them
        SCOPED_TRACE(to_string(shape) + " " + std::string(to_string(border)));
        run_everywhere(path, shape, [&](const Image& in) {
          return std::vector{fetch(gaussian_derivative(in, {.sigma = 1, .order_x = 1, .border = border}))};
        });
      }
    }
  }
}

TEST_F(FilesInParts, OfChainsOnADeepHalo) {
  for (const Extent extent : {Extent{41, 38}, Extent{12, 50}}) {
    const ImageShape shape{extent, {PixelType::f32, 1}};
    const std::string path = file(shape);
    run_everywhere(path, shape, [](const Image& in) {
      Image last = in;
      for (int i = 0; i < 3; ++i) last = convolve_separable(last, {1, 2, 1}, {1, 2, 1});
      const Reduction total = sum(last);
      return std::vector{fetch(last), fetch(in), OutputRequest{OutputKind::reduce, total.image, nullptr, total.method}};
    });
  }
}

TEST_F(FilesInParts, SaveTheRootTheWholeImage) {
  if (world().ranks() < 4) GTEST_SKIP() << "tiles are too large";
  const ImageShape shape{{64, 64}, {PixelType::f32, 1}};
  const std::string path = file(shape);
  const Reduction total = sum(gaussian_derivative(image_at(path, shape), {.sigma = 1}));
  const Pipeline pipeline = record({{OutputKind::reduce, total.image, nullptr, total.method}});
  SearchSpace space{.max_ranks = world().ranks(), .ranks = world().ranks()};
  space.files = FileAccess::root;
  const std::int64_t through_the_root = plan_of(pipeline, space).root_bytes;
  space.files = FileAccess::parallel;
  const Plan plan = plan_of(pipeline, space);
  EXPECT_GT(through_the_root, shape.bytes());
  EXPECT_LT(plan.root_bytes, shape.bytes());
  const Trace trace = execute(plan, pipeline, world()).trace;
  if (!world().is_root()) return;
  EXPECT_LE(trace.peak_bytes.front(), plan.root_bytes);
}

bool writes_on_tiles(const Plan& plan) {
  return std::any_of(plan.steps.begin(), plan.steps.end(),
                     [](const PlanStep& step) { return step.kind == StepKind::write && step.site == Site::tiles; });
}

std::string content_of(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

TEST_F(FilesInParts, AreWrittenByteForByteAsTheRootWritesThem) {
  for (const PixelFormat format :
       {PixelFormat{PixelType::u8, 3}, {PixelType::u16, 1}, {PixelType::f32, 1}, {PixelType::f64, 2}}) {
    const ImageShape shape{{61, 47}, format};
    const std::string path = file(shape);
    for (const int ranks : test::tested_ranks(world().ranks(), 2)) {
      for (const ProcessGrid& grid : grids_of(ranks)) {
        std::vector<std::string> contents;
        for (const FileAccess files : {FileAccess::root, FileAccess::parallel}) {
          const Image in = image_at(path, shape);
          const std::string target = path + (files == FileAccess::root ? ".root.tif" : ".parallel.tif");
          const Pipeline pipeline = record({{OutputKind::write, in * 2.0, image_file_sink(target), nullptr},
                                            {OutputKind::write, convolve_separable(in, {1, 2, 1}, {1, 2, 1}),
                                             image_file_sink(target + ".other.tif"), nullptr}});
          SearchSpace space{.max_ranks = world().ranks(), .threads = 2, .grid = GridPattern{grid.x, grid.y}};
          space.files = files;
          const Plan plan = plan_of(pipeline, space);
          EXPECT_EQ(writes_on_tiles(plan), files == FileAccess::parallel);
          const Trace trace = execute(plan, pipeline, world()).trace;
          if (world().is_root()) {
            EXPECT_LE(trace.peak_bytes.front(), plan.root_bytes);
            contents.push_back(content_of(target) + content_of(target + ".other.tif"));
          }
        }
        if (!world().is_root()) continue;
        EXPECT_FALSE(contents.front().empty());
        EXPECT_EQ(contents.front(), contents.back()) << to_string(grid) << " " << to_string(shape);
      }
    }
  }
}

/// A file that the root makes, and of which the last rank sees nothing, or into which it cannot write.
class NotSeenByAll final : public Sink {
 public:
  NotSeenByAll(std::shared_ptr<const Sink> file, bool is_seen) : file_(std::move(file)), is_seen_(is_seen) {}
  [[nodiscard]] std::string describe() const override { return file_->describe(); }
  [[nodiscard]] std::vector<Work> work(const ImageShape& image) const override { return file_->work(image); }
  [[nodiscard]] std::int64_t scratch_bytes(const ImageShape& image) const override {
    return file_->scratch_bytes(image);
  }
  void check(const ImageShape& image) const override { file_->check(image); }
  void check_writable() const override { file_->check_writable(); }
  void store(const ConstView& image) const override { file_->store(image); }
  [[nodiscard]] std::string why_no_parts(const ImageShape& image) const override { return file_->why_no_parts(image); }
  [[nodiscard]] std::vector<Work> part_work(const ImageShape& image, const Extent& part) const override {
    return file_->part_work(image, part);
  }
  [[nodiscard]] std::unique_ptr<PartsOutput> open_parts(const ImageShape& image) const override {
    return file_->open_parts(image);
  }
  [[nodiscard]] std::unique_ptr<PartsOutput> open_probe() const override { return file_->open_probe(); }
  [[nodiscard]] bool sees(const std::string& place) const override {
    return (is_seen_ || !is_last()) && file_->sees(place);
  }
  void write_part(const std::string& place, const ImageShape& image, const ConstView& part) const override {
    if (is_last()) throw RuntimeError("the disk is full");
    file_->write_part(place, image, part);
  }

 private:
  static bool is_last() { return world().rank() == world().ranks() - 1; }
  std::shared_ptr<const Sink> file_;
  bool is_seen_;
};

TEST_F(FilesInParts, AreWrittenByTheRootWhereARankWouldNotSeeThem) {
  if (world().ranks() < 2) GTEST_SKIP() << "the root sees what it sees";
  const ImageShape shape{{32, 32}, {PixelType::f32, 1}};
  const std::string path = file(shape);
  const auto sink = std::make_shared<NotSeenByAll>(image_file_sink(path + ".out.tif"), false);
  const Pipeline pipeline = record({{OutputKind::write, image_at(path, shape) * 2.0, sink, nullptr}});
  const std::map<int, std::string> unseen = unseen_outputs(pipeline, {0}, world());
  SearchSpace space{.max_ranks = world().ranks(), .ranks = world().ranks()};
  if (world().is_root()) {
    ASSERT_EQ(unseen.size(), 1U);
    space.unseen_outputs = unseen;
    EXPECT_FALSE(writes_on_tiles(plan_of(pipeline, space)));
    space.unseen_outputs.clear();
  }
  space.files = FileAccess::parallel;
  EXPECT_THROW((void)execute(plan_of(pipeline, space), pipeline, world()), ParameterError);
  EXPECT_EQ(files(), 1) << "nothing stays of what was made to be looked at";
}

TEST_F(FilesInParts, AreNotThereIfARankFails) {
  if (world().ranks() < 2) GTEST_SKIP() << "there are no parts";
  const ImageShape shape{{32, 32}, {PixelType::f32, 1}};
  const std::string path = file(shape);
  const auto sink = std::make_shared<NotSeenByAll>(image_file_sink(path + ".out.tif"), true);
  const Pipeline pipeline = record({{OutputKind::write, image_at(path, shape) * 2.0, sink, nullptr}});
  SearchSpace space{.max_ranks = world().ranks(), .ranks = world().ranks()};
  space.files = FileAccess::parallel;
  try {
    (void)execute(plan_of(pipeline, space), pipeline, world());
    ADD_FAILURE() << "it must fail on every rank";
  } catch (const RuntimeError& error) {
    EXPECT_STREQ(error.what(), "the disk is full");
  }
  EXPECT_EQ(files(), 1);
}

/// A file that the last rank sees as another one, or not at all.
class SeenDifferently final : public Source {
 public:
  SeenDifferently(std::shared_ptr<const Source> file, std::string identity)
      : file_(std::move(file)), identity_(std::move(identity)) {}
  [[nodiscard]] std::string describe() const override { return file_->describe(); }
  [[nodiscard]] ImageShape shape() const override { return file_->shape(); }
  [[nodiscard]] Raster load(const Halo& halo) const override { return file_->load(halo); }
  [[nodiscard]] std::string why_no_parts() const override { return file_->why_no_parts(); }
  [[nodiscard]] std::string identity() const override {
    return world().rank() == world().ranks() - 1 ? identity_ : file_->identity();
  }
  [[nodiscard]] std::vector<Work> part_work(const Extent& part) const override { return file_->part_work(part); }

 private:
  std::shared_ptr<const Source> file_;
  std::string identity_;
};

TEST_F(FilesInParts, AreReadByTheRootWhereARankDoesNotSeeThem) {
  if (world().ranks() < 2) GTEST_SKIP() << "the root sees what it sees";
  const ImageShape shape{{32, 32}, {PixelType::f32, 1}};
  const std::string path = file(shape);
  for (const std::string identity : {"", "another"}) {
    const Image in(std::make_shared<SeenDifferently>(image_file(path), identity));
    const Pipeline pipeline = record({fetch(gaussian_derivative(in, {.sigma = 1}))});
    const std::map<int, std::string> unseen = unseen_files(pipeline, {0}, world());
    SearchSpace space{.max_ranks = world().ranks(), .ranks = world().ranks()};
    if (world().is_root()) {
      ASSERT_EQ(unseen.size(), 1U);
      const std::string who = "rank " + std::to_string(world().ranks() - 1);
      EXPECT_EQ(unseen.at(0), who + (identity.empty() ? " does not see the file" : " sees another file of that name"));
      space.unseen = unseen;
      const Plan plan = plan_of(pipeline, space);
      EXPECT_FALSE(reads_on_tiles(plan));
      ASSERT_EQ(plan.steps.front().rejected.size(), 1U);
      EXPECT_EQ(plan.steps.front().rejected.front().why_not, unseen.at(0));
      space.files = FileAccess::parallel;
      EXPECT_THROW((void)plan_of(pipeline, space), ParameterError);
    }
    // A plan that was made elsewhere is refused by all ranks.
    space.unseen.clear();
    space.files = FileAccess::parallel;
    const Plan plan = plan_of(pipeline, space);
    EXPECT_THROW((void)execute(plan, pipeline, world()), ParameterError);
  }
}

TEST_F(FilesInParts, AreSeenByAllOtherwise) {
  const ImageShape shape{{32, 32}, {PixelType::f32, 1}};
  const std::string path = file(shape);
  const Pipeline pipeline = record({fetch(gaussian_derivative(image_at(path, shape), {.sigma = 1}))});
  EXPECT_TRUE(unseen_files(pipeline, {0}, world()).empty());
}

}  // namespace
}  // namespace tilewright
