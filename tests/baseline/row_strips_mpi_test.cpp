// The hand-written row strips make the pictures of the sequential reference, on any number of the ranks.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>
#include <stdexcept>

#include "baseline/row_strips.hpp"
#include "communicator_implementation.hpp"
#include "support/mpi_environment.hpp"
#include "support/reference_run.hpp"
#include "support/tested_ranks.hpp"
#include "tilewright/imgops/arithmetic.hpp"
#include "tilewright/imgops/convolution.hpp"
#include "tilewright/imgops/files.hpp"
#include "tilewright/imgops/gaussian.hpp"
#include "tilewright/imgops/reductions.hpp"
#include "tilewright/opencv.hpp"

namespace tilewright::baseline {
namespace {

using test::world;

constexpr double tolerance = 1e-5;  // of full scale: both round to float, but in another order

MPI_Comm all_ranks() {
  return world().implementation().comm;
}

/// Values from 0 to 255, the same on every rank.
Raster noise(const Extent& extent) {
  std::mt19937 random(7);
  Raster raster(ImageShape{extent, {PixelType::f32, 1}});
  for (std::int64_t i = 0; i < extent.pixels(); ++i) raster.at<float>(0, 0)[i] = static_cast<float>(random() % 256);
  return raster;
}

Image derivative(const Image& image, double sigma, int order_x, int order_y) {
  return gaussian_derivative(image, {.sigma = sigma, .order_x = order_x, .order_y = order_y});
}

Image gradient(const Image& image, double sigma) {
  const Image lx = derivative(image, sigma, 1, 0);
  const Image ly = derivative(image, sigma, 0, 1);
  return tilewright::sqrt(lx * lx + ly * ly);
}

Image oriented_bank(const Image& image, const Work& work) {
  std::vector<Image> best;
  for (const double sigma : work.sigmas) {
    const Image lxx = derivative(image, sigma, 2, 0);
    const Image lxy = derivative(image, sigma, 1, 1);
    const Image lyy = derivative(image, sigma, 0, 2);
    for (int i = 0; i < work.angles; ++i) {
      const double angle = std::numbers::pi * i / work.angles;
      const double c = std::cos(angle);
      const double s = std::sin(angle);
      const Image response = lxx * (c * c) + lxy * (2 * c * s) + lyy * (s * s);
      best = {best.empty() ? response : tilewright::max(best.front(), response)};
    }
  }
  return best.front();
}

/// The result images of the same pipeline in Tilewright's words; the gradient before its threshold.
std::vector<Image> images_of(const Work& work, Image image) {
  switch (work.kind) {
    case Kind::derivative:
      return {derivative(image, work.sigma, 1, 0)};
    case Kind::five_derivatives:
      return {derivative(image, work.sigma, 1, 0), derivative(image, work.sigma, 0, 1),
              derivative(image, work.sigma, 2, 0), derivative(image, work.sigma, 1, 1),
              derivative(image, work.sigma, 0, 2)};
    case Kind::thresholded_gradient:
      return {gradient(image, work.sigma)};
    case Kind::smoothing_chain:
      for (const double sigma : work.sigmas) image = derivative(image, sigma, 0, 0);
      return {image};
    case Kind::oriented_bank:
      return {oriented_bank(image, work)};
    case Kind::small_filter:
      for (int i = 0; i < work.iterations; ++i) {
        image = convolve_separable(image, {0.25, 0.5, 0.25}, {0.25, 0.5, 0.25});
      }
      return {image};
    case Kind::wide_and_tall:
      for (const double sigma : work.sigmas) image = convolve_separable(image, gaussian_kernel(sigma, 0), {1});
      for (const double sigma : work.sigmas) image = convolve_separable(image, {1}, gaussian_kernel(sigma, 0));
      return {image};
  }
  throw InternalError("unknown kind");
}

std::vector<cv::Mat> reference(const Work& work, const Extent& extent) {
  std::vector<OutputRequest> outputs;
  for (const Image& image : images_of(work, Image(image_in_memory(noise(extent), "noise")))) {
    outputs.push_back({OutputKind::fetch, image, nullptr, nullptr});
  }
  const Pipeline pipeline = record(outputs);
  const std::vector<Raster> images = test::reference_images(pipeline);
  std::vector<cv::Mat> result;
  for (const PipelineOutput& output : pipeline.outputs) {
    result.push_back(to_mat(images[static_cast<std::size_t>(output.image)]));
  }
  return result;
}

void expect_close(const cv::Mat& image, const cv::Mat& expected) {
  ASSERT_EQ(image.size(), expected.size());
  ASSERT_EQ(image.type(), CV_32F);
  const double full_scale = cv::norm(expected, cv::NORM_INF);
  EXPECT_LE(cv::norm(image, expected, cv::NORM_INF), tolerance * full_scale);
}

/// A value that close to the level may fall on either side of it.
void expect_thresholded(const Result& result, const cv::Mat& gradient, double level) {
  ASSERT_EQ(result.images.size(), 1U);
  ASSERT_EQ(result.sums.size(), 1U);
  const cv::Mat& image = result.images.front();
  ASSERT_EQ(image.size(), gradient.size());
  const double margin = tolerance * cv::norm(gradient, cv::NORM_INF);
  double sum = 0;
  for (int y = 0; y < image.rows; ++y) {
    for (int x = 0; x < image.cols; ++x) {
      const double value = gradient.at<float>(y, x);
      if (std::abs(value - level) > margin) {
        EXPECT_EQ(image.at<float>(y, x), value > level ? 1.0F : 0.0F);
      }
      sum += image.at<float>(y, x);
    }
  }
  EXPECT_EQ(result.sums.front(), sum);
  EXPECT_GT(sum, 0.1 * static_cast<double>(image.total()));
  EXPECT_LT(sum, 0.9 * static_cast<double>(image.total()));
}

void expect_times(const Times& times, int ranks_used, bool takes_part) {
  EXPECT_EQ(times.total_s > 0, takes_part);
  const double parts = times.scatter_s + times.exchange_s + times.compute_s + times.gather_s;
  EXPECT_LE(parts, times.total_s * (1 + 1e-9));
  EXPECT_EQ(times.scatter_s > 0, takes_part && ranks_used > 1);
  EXPECT_EQ(times.gather_s > 0, takes_part && ranks_used > 1);
}

void expect_result(const Work& work, const Result& result, const std::vector<cv::Mat>& expected) {
  if (!world().is_root()) {
    EXPECT_TRUE(result.images.empty());
    EXPECT_TRUE(result.sums.empty());
    return;
  }
  if (work.kind == Kind::thresholded_gradient) {
    expect_thresholded(result, expected.front(), work.level);
    return;
  }
  ASSERT_EQ(result.images.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) expect_close(result.images[i], expected[i]);
}

void run_everywhere(const Work& work, const Extent& extent) {
  const std::vector<cv::Mat> expected = world().is_root() ? reference(work, extent) : std::vector<cv::Mat>{};
  const cv::Mat image = world().is_root() ? to_mat(noise(extent)) : cv::Mat();
  const cv::Mat before = image.clone();
  for (const int ranks : test::tested_ranks(world().ranks())) {
    for (const Waiting waiting : {Waiting::blocking, Waiting::polite}) {
      for (const bool separate : {false, true}) {
        SCOPED_TRACE(fmt::format("{} ranks, waiting {}, separate {}", ranks, static_cast<int>(waiting), separate));
        const RowStrips strips(all_ranks(), ranks, {.waiting = waiting, .separate = separate});
        Times times;
        expect_result(work, strips.run(work, image, &times), expected);
        expect_times(times, ranks, world().rank() < ranks);
        EXPECT_GE(strips.slowest(times).total_s, times.total_s);
      }
    }
  }
  if (!world().is_root()) return;
  EXPECT_EQ(cv::norm(image, before, cv::NORM_INF), 0) << "the caller's image was written to";
}

TEST(RowStrips, OneDerivative) {
  run_everywhere({.kind = Kind::derivative, .sigma = 2}, {97, 121});
}

TEST(RowStrips, FiveDerivatives) {
  run_everywhere({.kind = Kind::five_derivatives, .sigma = 1.5}, {64, 96});
}

TEST(RowStrips, ThresholdedGradient) {
  run_everywhere({.kind = Kind::thresholded_gradient, .sigma = 1, .level = 15}, {75, 83});
}

TEST(RowStrips, SmoothingChain) {
  run_everywhere({.kind = Kind::smoothing_chain}, {60, 101});
}

TEST(RowStrips, SmoothingChainWithEqualHalos) {
  run_everywhere({.kind = Kind::smoothing_chain, .sigmas = {2, 1, 1, 1, 2}}, {33, 70});
}

TEST(RowStrips, OrientedBankAtOneScale) {
  run_everywhere({.kind = Kind::oriented_bank, .sigmas = {1.5}}, {50, 90});
}

TEST(RowStrips, OrientedBankAtThreeScales) {
  run_everywhere({.kind = Kind::oriented_bank, .sigmas = {1, 1.5, 2}, .angles = 7}, {50, 90});
}

TEST(RowStrips, SmallFilterTwentyTimes) {
  run_everywhere({.kind = Kind::small_filter}, {40, 45});
}

TEST(RowStrips, SmallFilterOnStripsOfOneRow) {
  run_everywhere({.kind = Kind::small_filter, .iterations = 3}, {9, 8});
}

TEST(RowStrips, WideAndTallFilters) {
  run_everywhere({.kind = Kind::wide_and_tall, .sigmas = {2.5, 1}}, {60, 101});
}

TEST(RowStrips, AFunctionForOneRun) {
  const Work work{.kind = Kind::derivative, .sigma = 1};
  const Extent extent{40, 64};
  const cv::Mat image = world().is_root() ? to_mat(noise(extent)) : cv::Mat();
  const Result result = run(work, image, all_ranks(), world().ranks(), Waiting::polite, nullptr);
  expect_result(work, result, world().is_root() ? reference(work, extent) : std::vector<cv::Mat>{});
}

TEST(RowStrips, TransfersAlone) {
  for (const Waiting waiting : {Waiting::blocking, Waiting::polite}) {
    for (const int ranks : test::tested_ranks(world().ranks())) {
      const RowStrips strips(all_ranks(), ranks, {.waiting = waiting});
      const bool moves = ranks > 1 && world().rank() < ranks;
      EXPECT_EQ(strips.scatter_only({64, 80}) > 0, moves);
      EXPECT_EQ(strips.gather_only({64, 80}) > 0, moves);
      EXPECT_EQ(strips.exchange_only({64, 80}, 9) > 0, moves);
    }
  }
}

TEST(RowStrips, RefusesWhatItCannotDoOnEveryRank) {
  const int ranks = world().ranks();
  EXPECT_THROW(RowStrips(all_ranks(), 0), std::invalid_argument);
  EXPECT_THROW(RowStrips(all_ranks(), ranks + 1), std::invalid_argument);
  const RowStrips strips(all_ranks(), ranks);
  const cv::Mat bytes(32, 32, CV_8U);
  EXPECT_THROW(static_cast<void>(strips.run({}, bytes, nullptr)), std::invalid_argument);
  const cv::Mat image(20, 32, CV_32F, cv::Scalar(0));
  EXPECT_THROW(static_cast<void>(strips.run({.kind = Kind::smoothing_chain, .sigmas = {}}, image, nullptr)),
               std::invalid_argument);
  if (ranks == 1) return;
  const Work wide{.kind = Kind::derivative, .sigma = 5};
  EXPECT_EQ(largest_halo(wide), gaussian_radius(5, 0));
  EXPECT_EQ(most_ranks(wide, 3 * largest_halo(wide)), 3);
  EXPECT_EQ(most_ranks(wide, 3 * largest_halo(wide) - 1), 2);
  EXPECT_EQ(most_ranks(wide, largest_halo(wide) - 1), 1) << "alone, there is no halo";
  EXPECT_THROW(static_cast<void>(strips.run(wide, image, nullptr)), std::invalid_argument);
}

}  // namespace
}  // namespace tilewright::baseline
