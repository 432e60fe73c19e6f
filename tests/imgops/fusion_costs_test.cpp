// What passes state of their costs.
#include <gtest/gtest.h>

#include "support/test_pipeline.hpp"
#include "tilewright/imgops/arithmetic.hpp"
#include "tilewright/imgops/files.hpp"
#include "tilewright/imgops/fusion.hpp"
#include "tilewright/imgops/gaussian.hpp"

namespace tilewright {
namespace {

constexpr Extent extent{1000, 800};
constexpr double pixels = 1000 * 800;

Image image_named(const char* name) {
  return Image(assumed_file(name, {extent, {PixelType::f32, 1}}));
}

/// Of the pipeline's last pass.
std::vector<Work> cost_of(const std::vector<Image>& results) {
  std::vector<OutputRequest> wishes;
  for (const Image& result : results) wishes.push_back(test::keep(result));
  const Pipeline pipeline = fused(record(wishes));
  const auto first = static_cast<int>(pipeline.images.size() - results.size());
  EXPECT_EQ(pipeline.results(first), static_cast<int>(results.size())) << "not one pass";
  return pipeline.images.back().op->work(pipeline.input_shapes(first), extent);
}

enum class Place { anywhere, in_a_cache, in_memory };

double units(const std::vector<Work>& works, const std::string& key, Place place = Place::anywhere) {
  double sum = 0;
  for (const Work& work : works) {
    const bool is_there = place == Place::anywhere || (work.piece > 0) == (place == Place::in_a_cache);
    if (work.key == key && is_there) sum += work.units;
  }
  return sum;
}

std::vector<Image> gradient(const Image& image) {
  return {gaussian_derivative(image, {.sigma = 1, .order_x = 1}),
          gaussian_derivative(image, {.sigma = 1, .order_y = 1})};
}

TEST(CostOfAPass, CountsAsManyImagesToMemoryAsAreAskedFor) {
  const Image image = image_named("a");
  const std::vector<Image> lxy = gradient(image);
  const std::string pair = "convolve_pair";
  const double both = units(cost_of(lxy), pair);
  EXPECT_GT(both, 2 * pixels);
  EXPECT_EQ(units(cost_of(lxy), pair, Place::in_memory), both);

  const Image third = gaussian_derivative(image, {.sigma = 1, .order_x = 1, .order_y = 1});
  const std::vector<Work> jet = cost_of({lxy[0], lxy[1], third});
  const std::vector<Work> one = cost_of({lxy[0] + lxy[1] + third});
  for (const char* key : {"convolve_separable", "convolve_jet"}) {
    const double all = units(jet, key);
    EXPECT_NE(all, 0) << key;
    EXPECT_EQ(units(jet, key, Place::in_memory), all);
    EXPECT_NEAR(units(one, key, Place::in_memory), all / 3, 1e-6 * pixels);
    EXPECT_NEAR(units(one, key, Place::in_a_cache), all * 2 / 3, 1e-6 * pixels);
  }
  EXPECT_EQ(units(one, "pointwise_binary", Place::in_a_cache), pixels) << "its image takes the place of a filter's";

  const std::vector<Work> three = cost_of({lxy[0], lxy[1], lxy[0] + lxy[1]});
  EXPECT_EQ(units(three, pair, Place::in_memory), both);
  EXPECT_EQ(units(three, "pointwise_binary", Place::in_memory), pixels);
}

TEST(CostOfAPass, IsMeasuredOfTwoFiltersOfWhichOneImageIsMade) {
  const std::vector<Image> lxy = gradient(image_named("a"));
  const double both = units(cost_of(lxy), "convolve_pair");
  const std::vector<Work> sum = cost_of({lxy[0] + lxy[1]});
  EXPECT_EQ(units(sum, "convolve_joined_pair"), both);
  EXPECT_EQ(units(sum, "convolve_pair"), 0);
  EXPECT_EQ(units(sum, "pointwise_binary"), 0) << "it is part of what was measured";
  const auto joined = std::ranges::find(sum, std::string("convolve_joined_pair"), &Work::key);
  EXPECT_EQ(units(joined->otherwise, "convolve_pair", Place::in_memory), both / 2);
  EXPECT_EQ(units(joined->otherwise, "convolve_pair", Place::in_a_cache), both / 2);
  EXPECT_EQ(units(joined->otherwise, "pointwise_binary"), pixels) << "which is taken off again";
}

TEST(CostOfAPass, CountsAScaledImageThatIsAddedOnce) {
  const std::vector<Image> l = gradient(image_named("a"));
  const auto oriented = [&](double c, double s) { return l[0] * c + l[1] * s; };
  const auto instructions = [](const Image& image) { return units(cost_of({image}), "fused_arithmetic") / pixels; };
  const Image two = max(oriented(0.25, 0.5), oriented(0.5, 0.75));
  const Image three = max(two, oriented(0.75, 0.25));
  // A scaled image, another one added, the maximum, and the keeping of the one before.
  EXPECT_EQ(instructions(three) - instructions(two), 4);
}

TEST(CostOfAPass, CountsRootsBesideOtherInstructions) {
  const std::vector<Image> lxy = gradient(image_named("a"));
  // Load, multiply, keep, load, multiply, add, root, compare, store: the last three are the threshold alone.
  const std::vector<Work> magnitude = cost_of({threshold(sqrt(lxy[0] * lxy[0] + lxy[1] * lxy[1]), {.level = 1})});
  EXPECT_EQ(units(magnitude, "fused_sqrt_beside"), 4 * pixels);
  EXPECT_EQ(units(magnitude, "fused_arithmetic"), 2 * pixels);
  EXPECT_EQ(units(magnitude, "fused_sqrt"), 0);

  const std::vector<Work> roots = cost_of({abs(sqrt(sqrt(sqrt(image_named("a")))))});
  EXPECT_EQ(units(roots, "fused_sqrt"), 3 * pixels);
  EXPECT_EQ(units(roots, "fused_sqrt_beside"), 0);
}

TEST(CostOfAPass, KnowsWhatItIsWithoutTheseMeasurements) {
  const Image a = image_named("a");
  for (const Work& work : cost_of({sqrt(a * 2.0 + 1.0) / 3.0 + 1.0})) {
    if (!work.key.starts_with("fused")) continue;
    ASSERT_FALSE(work.otherwise.empty()) << work.key;
  }
}

TEST(CostOfAPass, CountsTheImagesThatItReads) {
  const Image a = image_named("a"), b = image_named("b"), c = image_named("c");
  const auto more_read = [](const std::vector<Work>& works) { return -units(works, "pointwise_unary") / pixels; };
  EXPECT_EQ(more_read(cost_of({a * 0.5 + b * 0.5})), 0) << "as many as the sum alone";
  EXPECT_EQ(more_read(cost_of({c * (a + b)})), 1);
  EXPECT_EQ(units(cost_of({c * (a + b)}), "pointwise_binary"), 2 * pixels);
  EXPECT_EQ(more_read(cost_of({sqrt(a * a + b * b)})), 1);
  EXPECT_EQ(more_read(cost_of({a * 2.0 + a})), -1);
  const std::vector<Image> lxy = gradient(a);
  EXPECT_EQ(more_read(cost_of({lxy[0] + lxy[1]})), 0) << "filters hand theirs on";
}

}  // namespace
}  // namespace tilewright
