// What fused() makes of recorded pipelines. Their pixels, however computed: fusion_tiles_test.cpp.
#include "tilewright/imgops/fusion.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include <set>

#include "support/reference_run.hpp"
#include "support/test_pipeline.hpp"
#include "test_images.hpp"
#include "tilewright/imgops/arithmetic.hpp"
#include "tilewright/imgops/convolution.hpp"
#include "tilewright/imgops/gaussian.hpp"

namespace tilewright {
namespace {

using test::fetch;
using test::keep;
using test::reduce;
using test::write;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

using Outputs = std::vector<OutputRequest>;

Image pixels(unsigned seed = 1, PixelFormat format = {PixelType::f32, 1}) {
  return test::image_of(test::random_raster({9, 7}, format, seed), fmt::format("pixels{}", seed));
}

Image smooth(const Image& image, double sigma = 1) {
  return gaussian_derivative(image, {.sigma = sigma});
}
Image along_x(const Image& image, double sigma = 1) {
  return gaussian_derivative(image, {.sigma = sigma, .order_x = 1});
}
Image along_y(const Image& image, double sigma = 1) {
  return gaussian_derivative(image, {.sigma = sigma, .order_y = 1});
}
Image with_border(const Image& image, Border border, double value = 0, double sigma = 1) {
  return gaussian_derivative(image, {.sigma = sigma, .border = border, .border_value = value});
}

Image magnitude(const Image& image) {
  const Image lx = along_x(image);
  const Image ly = along_y(image);
  return sqrt(lx * lx + ly * ly);
}

Image box(const Image& image) {
  return convolve(image, {3, 3, std::vector<double>(9, 1)});
}

// --- pipelines as text ---

std::string maker_text(const Pipeline& pipeline, int first) {
  const PipelineImage& image = pipeline.images[static_cast<std::size_t>(first)];
  if (image.source) return fmt::format("read {}", first);
  const int last = first + pipeline.results(first) - 1;
  const std::string made = last > first ? fmt::format("{} to {}", first, last) : fmt::format("{}", first);
  return fmt::format("make {} of {}", made, fmt::join(image.inputs, ", "));
}

std::string output_text(const PipelineOutput& output) {
  constexpr const char* kinds[] = {"write", "fetch", "keep", "reduce"};  // in the order of OutputKind
  return fmt::format("{} {}", kinds[static_cast<std::size_t>(output.kind)], output.image);
}

/// The tasks: "read 0", "make 1 to 5 of 0", "write 1". The numbers are those of images.
std::vector<std::string> tasks_of(const Pipeline& pipeline) {
  std::vector<std::string> texts;
  for (const Task& task : pipeline.tasks) {
    texts.push_back(task.kind == Task::Kind::obtain
                        ? maker_text(pipeline, task.index)
                        : output_text(pipeline.outputs[static_cast<std::size_t>(task.index)]));
  }
  return texts;
}

// --- what holds of every fused pipeline ---

/// The images that one task makes stand together, and are told apart by their result.
void expect_results(const Pipeline& pipeline, int first) {
  const PipelineImage& front = pipeline.images[static_cast<std::size_t>(first)];
  const std::vector<ImageShape> shapes =
      front.source ? std::vector<ImageShape>{front.source->shape()} : front.op->shapes(pipeline.input_shapes(first));
  ASSERT_EQ(static_cast<int>(shapes.size()), pipeline.results(first));
  for (int i = 0; i < pipeline.results(first); ++i) {
    const PipelineImage& image = pipeline.images.at(static_cast<std::size_t>(first + i));
    EXPECT_EQ(image.name, fmt::format("image{}", first + i));
    EXPECT_EQ(image.result, i);
    EXPECT_EQ(image.op, front.op);
    EXPECT_EQ(image.source, front.source);
    EXPECT_EQ(image.inputs, front.inputs);
    EXPECT_EQ(image.shape, shapes[static_cast<std::size_t>(i)]);
  }
}

/// Every image is made once, after what it is made of and before what is done with it.
void expect_order(const Pipeline& pipeline) {
  std::set<int> there;
  for (const Task& task : pipeline.tasks) {
    if (task.kind == Task::Kind::output) {
      EXPECT_TRUE(there.contains(pipeline.outputs.at(static_cast<std::size_t>(task.index)).image));
      continue;
    }
    for (const int input : pipeline.images.at(static_cast<std::size_t>(task.index)).inputs) {
      EXPECT_TRUE(there.contains(input)) << input << " is read before it is there";
    }
    expect_results(pipeline, task.index);
    for (int i = 0; i < pipeline.results(task.index); ++i) EXPECT_TRUE(there.insert(task.index + i).second);
  }
  EXPECT_EQ(there.size(), pipeline.images.size());
}

std::vector<int> order_of_outputs(const Pipeline& pipeline) {
  std::vector<int> order;
  for (const Task& task : pipeline.tasks) {
    if (task.kind == Task::Kind::output) order.push_back(task.index);
  }
  return order;
}

void expect_same_outputs(const Pipeline& recorded, const Pipeline& fewer) {
  EXPECT_EQ(order_of_outputs(fewer), order_of_outputs(recorded));
  ASSERT_EQ(fewer.outputs.size(), recorded.outputs.size());
  const std::vector<Raster> wanted = test::reference_images(recorded);
  const std::vector<Raster> found = test::reference_images(fewer);
  for (std::size_t i = 0; i < recorded.outputs.size(); ++i) {
    const PipelineOutput& before = recorded.outputs[i];
    const PipelineOutput& after = fewer.outputs[i];
    EXPECT_EQ(after.kind, before.kind);
    EXPECT_EQ(after.sink, before.sink);
    EXPECT_EQ(after.reduction, before.reduction);
    EXPECT_TRUE(same_pixels(found[static_cast<std::size_t>(after.image)].view(),
                            wanted[static_cast<std::size_t>(before.image)].view()))
        << "output " << i;
  }
}

/// The tasks that are left, after a look at what must hold of them in any case.
std::vector<std::string> fused_tasks(const Outputs& outputs) {
  const Pipeline recorded = record(outputs);
  const Pipeline fewer = fused(recorded);
  expect_order(fewer);
  expect_same_outputs(recorded, fewer);
  return tasks_of(fewer);
}

// --- filters ---

TEST(Fusion, MakesFiveDerivativesOfAnImageInOnePass) {
  const Image image = pixels();
  const Image lxx = gaussian_derivative(image, {.sigma = 1, .order_x = 2});
  const Image lxy = gaussian_derivative(image, {.sigma = 1, .order_x = 1, .order_y = 1});
  const Image lyy = gaussian_derivative(image, {.sigma = 1, .order_y = 2});
  const Outputs outputs{write(along_x(image)), write(along_y(image)), write(lxx), write(lxy), write(lyy)};
  EXPECT_THAT(fused_tasks(outputs),
              ElementsAre("read 0", "make 1 to 5 of 0", "write 1", "write 2", "write 3", "write 4", "write 5"));
  const Pipeline pipeline = fused(record(outputs));
  EXPECT_EQ(pipeline.images[1].op->results(), 5U);
  EXPECT_EQ(pipeline.images[1].op->halo(), (Halo{4, 4}));
  EXPECT_EQ(pipeline.storage_halo(0), (Halo{4, 4}));
}

TEST(Fusion, JoinsFiltersOfDifferentReach) {
  const Image image = pixels();
  const Outputs outputs{write(convolve_separable(image, {1, 2, 1}, std::vector<double>(11, 1))),
                        write(convolve_separable(image, {1, -1}, {1}))};
  EXPECT_THAT(fused_tasks(outputs), ElementsAre("read 0", "make 1 to 2 of 0", "write 1", "write 2"));
  EXPECT_EQ(fused(record(outputs)).storage_halo(0), (Halo{1, 5}));
}

TEST(Fusion, JoinsOnlyFiltersWithTheSameBorder) {
  const Image image = pixels();
  const Outputs outputs{
      write(with_border(image, Border::reflect101)),       write(with_border(image, Border::replicate)),
      write(with_border(image, Border::constant, 1)),      write(with_border(image, Border::constant, 2)),
      write(with_border(image, Border::constant, 1, 1.5)), write(with_border(image, Border::replicate, 0, 1.5))};
  EXPECT_THAT(fused_tasks(outputs),
              ElementsAre("read 0", "make 1 of 0", "write 1", "make 2 to 3 of 0", "write 2", "make 4 to 5 of 0",
                          "write 4", "make 6 of 0", "write 6", "write 5", "write 3"));
  const Pipeline pipeline = fused(record(outputs));
  EXPECT_EQ(pipeline.images[2].op->border(), Border::replicate);
  EXPECT_EQ(pipeline.images[4].op->border(), Border::constant);
  EXPECT_EQ(pipeline.images[4].op->border_value(), 1);
}

TEST(Fusion, JoinsOnlyFiltersOfTheSameImage) {
  const Image a = pixels(1);
  const Image b = pixels(2);
  EXPECT_THAT(fused_tasks({write(smooth(a)), write(smooth(b)), write(along_x(a)), write(along_x(b))}),
              ElementsAre("read 0", "make 1 to 2 of 0", "write 1", "read 3", "make 4 to 5 of 3", "write 4", "write 2",
                          "write 5"));
}

TEST(Fusion, LeavesAFilterOfAFilterByItself) {
  EXPECT_THAT(fused_tasks({write(along_x(smooth(pixels())))}),
              ElementsAre("read 0", "make 1 of 0", "make 2 of 1", "write 2"));
}

TEST(Fusion, JoinsKernelsThatAreNotSeparableWithTheirLikeAlone) {
  const Image image = pixels();
  const Image filtered = box(image);
  EXPECT_THAT(fused_tasks({write(filtered), write(smooth(image)), write(box(image)), write(filtered + 1.0)}),
              ElementsAre("read 0", "make 1 to 3 of 0", "write 1", "make 4 of 0", "write 4", "write 2", "write 3"));
}

/// Their results would leave a near cache before they are read.
TEST(Fusion, JoinsNoMoreKernelsThanANearCacheHolds) {
  const Image image = pixels();
  Outputs outputs;
  for (int i = 0; i < 65; ++i) outputs.push_back(write(box(image), fmt::format("box{}", i)));
  const std::vector<std::string> tasks = fused_tasks(outputs);
  EXPECT_EQ(tasks[1], "make 1 to 64 of 0");
  EXPECT_EQ(std::ranges::count_if(tasks, [](const std::string& task) { return task.starts_with("make"); }), 2);
}

/// What writing their results takes is little beside them, and a plan may place them apart.
TEST(Fusion, LeavesLargeKernelsAlone) {
  const Image image = pixels();
  const Image wide = convolve(image, {12, 12, std::vector<double>(144, 1)});
  const Image tall = convolve(image, {11, 13, std::vector<double>(143, 1)});
  EXPECT_THAT(fused_tasks({write(max(wide, tall))}),
              ElementsAre("read 0", "make 1 of 0", "make 2 of 0", "make 3 of 1, 2", "write 3"));
}

TEST(Fusion, LeavesOperatorsAloneThatCannotBeJoined) {
  const Image summed = test::filter({pixels()}, {.name = "with halo", .halo = {1, 1}});
  const Image doubled = test::filter({summed, summed}, {.name = "without"});
  EXPECT_THAT(fused_tasks({write(doubled + 1.0)}), ElementsAre("read 0", "make 1 of 0", "make 2 of 1", "write 2"));
}

/// As many rows of two images would not stay in a cache.
TEST(Fusion, LeavesFiltersApartThatReachTooFar) {
  const Image image = pixels();
  const std::vector<double> high(1001, 1);
  const Image sums = convolve_separable(image, {1, 2, 1}, high);
  const Image differences = convolve_separable(image, {-1, 0, 1}, high);
  EXPECT_THAT(tasks_of(fused(record({write(sums), write(differences * 2.0)}))),
              ElementsAre("read 0", "make 1 of 0", "write 1", "make 2 of 0", "write 2"));
}

// --- operators without a neighbourhood ---

TEST(Fusion, MakesAChainOneOperatorWithoutTemporaries) {
  const Outputs outputs{write(convert(sqrt(abs(pixels() * 2.0 + 1.0)), PixelType::u8))};
  EXPECT_THAT(fused_tasks(outputs), ElementsAre("read 0", "make 1 of 0", "write 1"));
  const Pipeline pipeline = fused(record(outputs));
  EXPECT_EQ(pipeline.images.size(), 2U);
  EXPECT_EQ(pipeline.images[1].shape.format.type, PixelType::u8);
  EXPECT_TRUE(pipeline.images[1].op->halo().empty());
  EXPECT_THAT(pipeline.images[1].op->describe(), AllOf(HasSubstr("multiply(image, 2)"), HasSubstr("add(image, 1)"),
                                                       HasSubstr("abs"), HasSubstr("sqrt"), HasSubstr("convert(u8")));
}

TEST(Fusion, LeavesOneOperatorAsItIs) {
  const Image image = pixels();
  const Image twice = image * 2.0;
  const Pipeline pipeline = fused(record({write(twice), write(image + 1.0)}));
  EXPECT_THAT(tasks_of(pipeline), ElementsAre("read 0", "make 1 of 0", "write 1", "make 2 of 0", "write 2"));
  EXPECT_EQ(pipeline.images[1].op, twice.node()->op);
}

TEST(Fusion, MakesAGradientWithItsThresholdOfOneImage) {
  const Outputs outputs{write(threshold(magnitude(pixels()), {.level = 20}))};
  EXPECT_THAT(fused_tasks(outputs), ElementsAre("read 0", "make 1 of 0", "write 1"));
  const Pipeline pipeline = fused(record(outputs));
  EXPECT_EQ(pipeline.images[1].op->results(), 1U);
  EXPECT_EQ(pipeline.storage_halo(0), (Halo{4, 4}));
}

/// Its tiles would have to be moved with the filters' halo.
TEST(Fusion, LetsNoOtherImageIntoAPassWithFilters) {
  const Image a = pixels(1);
  const Image b = pixels(2);
  EXPECT_THAT(fused_tasks({write(b + smooth(a))}),
              ElementsAre("read 0", "read 1", "make 2 of 1", "make 3 of 0, 2", "write 3"));
  EXPECT_THAT(fused_tasks({write(b * 2.0 + smooth(a))}),
              ElementsAre("read 0", "read 1", "make 2 of 1", "make 3 of 0, 2", "write 3"));
}

TEST(Fusion, LetsTheFilteredImageIntoItsPass) {
  const Image image = pixels();
  EXPECT_THAT(fused_tasks({write(image - smooth(image))}), ElementsAre("read 0", "make 1 of 0", "write 1"));
}

TEST(Fusion, LetsAnImageThatIsThereIntoAPassWithoutFilters) {
  const Image a = pixels(1);
  const Image b = pixels(2);
  EXPECT_THAT(fused_tasks({write(b + a * 2.0)}), ElementsAre("read 0", "read 1", "make 2 of 1, 0", "write 2"));
}

TEST(Fusion, PutsAPassOffUntilAllThatItReadsIsThere) {
  const Image a = pixels(1);
  const Image b = pixels(2);
  EXPECT_THAT(fused_tasks({write(a * 2.0 + b)}), ElementsAre("read 0", "read 1", "make 2 of 0, 1", "write 2"));
  EXPECT_THAT(fused_tasks({write(a * 0.4 + b * 0.6)}), ElementsAre("read 0", "read 1", "make 2 of 0, 1", "write 2"));
  EXPECT_THAT(fused_tasks({write(sqrt(a * a + b * b))}), ElementsAre("read 0", "read 1", "make 2 of 0, 1", "write 2"));
}

/// In one pass, all images would have to be there at once.
TEST(Fusion, KeepsNoMoreImagesForAPassThanItSpares) {
  const Image a = pixels(1);
  const Image b = pixels(2);
  const Image c = pixels(3);
  EXPECT_THAT(fused_tasks({write(a * 0.2 + b * 0.3 + c * 0.5)}),
              ElementsAre("read 0", "read 1", "make 2 of 0, 1", "read 3", "make 4 of 3, 2", "write 4"));
  EXPECT_THAT(fused_tasks({write(max(max(box(a), box(b)), box(c)))}),
              ElementsAre("read 0", "make 1 of 0", "read 2", "make 3 of 2", "make 4 of 1, 3", "read 5", "make 6 of 5",
                          "make 7 of 4, 6", "write 7"));
  // Images that stay anyway cost nothing.
  EXPECT_THAT(fused_tasks({write(a * 0.2 + b * 0.3 + c * 0.5), write(a, "a"), write(b, "b")}),
              ElementsAre("read 0", "read 1", "read 2", "make 3 of 0, 1, 2", "write 3", "write 0", "write 1"));
}

TEST(Fusion, PutsFiltersOffForWhatGoesOnWithThem) {
  const Image image = pixels();
  EXPECT_THAT(fused_tasks({write(smooth(image) - image * 0.5)}), ElementsAre("read 0", "make 1 of 0", "write 1"));
  EXPECT_THAT(fused_tasks({write(image * 0.5 - smooth(image))}), ElementsAre("read 0", "make 1 of 0", "write 1"));
}

TEST(Fusion, LeavesAPassWhereItsImageIsWanted) {
  const Image a = pixels(1);
  const Image b = pixels(2);
  const Image twice = a * 2.0;
  const Image smoothed = smooth(twice);
  EXPECT_THAT(fused_tasks({write(smoothed), write(twice + b)}),
              ElementsAre("read 0", "make 1 of 0", "make 2 of 1", "write 2", "read 3", "make 4 of 1, 3", "write 4"));
}

TEST(Fusion, LetsAnOperatorJoinTheLastOfItsInputs) {
  const Image a = pixels(1);
  const Image b = pixels(2);
  const Image early = a * 2.0;
  EXPECT_THAT(fused_tasks({write(early), write(early + b * 3.0)}),
              ElementsAre("read 0", "make 1 of 0", "write 1", "read 2", "make 3 of 2, 1", "write 3"));
}

/// What is filtered comes from another pass, and may be read again beside the filter.
TEST(Fusion, GoesOnBehindAFilterOfAResult) {
  const Image detail = abs(along_x(pixels()));
  EXPECT_THAT(fused_tasks({write(detail - smooth(detail))}),
              ElementsAre("read 0", "make 1 of 0", "make 2 of 1", "write 2"));
}

TEST(Fusion, TreatsKernelsOfOneValueAsPointwise) {
  const Image image = pixels();
  EXPECT_THAT(fused_tasks({write(convolve_separable(smooth(image), {2}, {0.5}))}),
              ElementsAre("read 0", "make 1 of 0", "write 1"));
  EXPECT_THAT(fused_tasks({write(convolve(image + 1.0, {1, 1, {3}}))}),
              ElementsAre("read 0", "make 1 of 0", "write 1"));
}

// --- results ---

TEST(Fusion, KeepsIntermediateImagesThatAreAskedFor) {
  const Image image = pixels();
  const Image lx = along_x(image);
  const Image ly = along_y(image);
  EXPECT_THAT(fused_tasks({write(lx), write(sqrt(lx * lx + ly * ly))}),
              ElementsAre("read 0", "make 1 to 2 of 0", "write 1", "write 2"));
  const Image twice = image * 2.0;
  EXPECT_THAT(fused_tasks({write(sqrt(twice)), reduce(twice)}),
              ElementsAre("read 0", "make 1 to 2 of 0", "write 2", "reduce 1"));
}

TEST(Fusion, KeepsIntermediateImagesThatOtherPassesRead) {
  const Image twice = pixels() * 2.0;
  EXPECT_THAT(fused_tasks({write(twice + 1.0), write(smooth(twice))}),
              ElementsAre("read 0", "make 1 to 2 of 0", "write 2", "make 3 of 1", "write 3"));
}

TEST(Fusion, LeavesOutputsInTheirOrderAndOfTheirKinds) {
  const Image image = pixels();
  const Image lx = along_x(image);
  const Image ly = along_y(image);
  EXPECT_THAT(fused_tasks({keep(image), reduce(lx), fetch(ly), write(smooth(image), "smooth"),
                           reduce(lx * lx + ly * ly), write(lx, "lx"), write(lx, "lx again")}),
              ElementsAre("read 0", "keep 0", "make 1 to 4 of 0", "reduce 1", "fetch 2", "write 3", "reduce 4",
                          "write 1", "write 1"));
}

TEST(Fusion, KnowsTheTypesOfItsResults) {
  for (const PixelType type : all_pixel_types) {
    const Image image = pixels(3, {type, 3});
    const Outputs outputs{write(along_x(image)), write(convert(along_y(image) * 2.0, PixelType::u8)),
                          write(threshold(min(image, 99.0), {.level = 50}))};
    EXPECT_THAT(fused_tasks(outputs),
                ElementsAre("read 0", "make 1 to 2 of 0", "write 1", "write 2", "make 3 of 0", "write 3"));
    const Pipeline pipeline = fused(record(outputs));
    EXPECT_EQ(pipeline.images[1].shape.format, (PixelFormat{computing_type(type), 3}));
    EXPECT_EQ(pipeline.images[2].shape.format, (PixelFormat{PixelType::u8, 3}));
    EXPECT_EQ(pipeline.images[3].shape.format, (PixelFormat{type, 3}));
  }
}

/// Each differs from the others in something that its results depend on, or in what is done with them.
std::vector<Outputs> different_outputs() {
  const Image image = pixels();
  const Image lx = along_x(image);
  const Image ly = along_y(image);
  return {{write(lx)},
          {write(ly)},
          {fetch(lx)},
          {write(lx, "elsewhere")},
          {write(along_x(image, 2))},
          {write(with_border(image, Border::wrap))},
          {write(lx), write(ly)},
          {write(ly), write(lx)},
          {write(lx - ly)},
          {write(ly - lx)},
          {write(lx), write(lx - ly)},
          {write(lx), write(ly - lx)},
          {write(ly), write(lx - ly)},
          {write(lx), write(ly), write(lx - ly)},
          {write(threshold(lx, {.level = 1}))},
          {write(threshold(lx, {.level = 2}))},
          {write(threshold(lx, {.level = 1})), write(lx)}};
}

TEST(Fusion, TellsPipelinesApart) {
  std::set<std::uint64_t> recorded;
  std::set<std::uint64_t> fewer;
  const std::vector<Outputs> all = different_outputs();
  for (const Outputs& outputs : all) {
    recorded.insert(record(outputs).hash());
    fewer.insert(fused(record(outputs)).hash());
    EXPECT_EQ(fused(record(outputs)).hash(), fused(record(outputs)).hash());
  }
  EXPECT_EQ(recorded.size(), all.size());
  EXPECT_EQ(fewer.size(), all.size());
}

}  // namespace
}  // namespace tilewright
