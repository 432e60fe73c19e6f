#include "tilewright/pipeline/image.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/test_pipeline.hpp"
#include "tilewright/core/error.hpp"

namespace tilewright {
namespace {

using test::filter;
using test::source;
using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(Image, KnowsItsShapeBeforeItsPixels) {
  const Image in = source({.extent = {20, 10}, .channels = 3});
  EXPECT_EQ(in.width(), 20);
  EXPECT_EQ(in.height(), 10);
  EXPECT_EQ(in.channels(), 3);
  EXPECT_EQ(in.type(), PixelType::f32);
  const Image out = filter({in});
  EXPECT_EQ(out.shape(), in.shape());
  EXPECT_EQ(out.node()->inputs.front(), in.node());
  EXPECT_EQ(out.node()->source, nullptr);
  EXPECT_EQ(in.node()->op, nullptr);
}

TEST(Image, ACopyIsTheSameImage) {
  const Image in = source();
  const Image copy = in;  // NOLINT(performance-unnecessary-copy-initialization)
  EXPECT_EQ(copy.node(), in.node());
}

TEST(Image, InputsOfDifferentSizeAreRefusedWithBothSizes) {
  const Image a = source({.extent = {20, 10}});
  const Image b = source({.extent = {10, 20}});
  EXPECT_THAT(
      [&] {
        (void)filter({a, a, b}, {.name = "sum"});
      },
      ThrowsMessage<ParameterError>(AllOf(HasSubstr("sum"), HasSubstr("20x10"), HasSubstr("10x20"))));
}

TEST(Image, ASourceWithoutPixelsIsRefused) {
  EXPECT_THAT(
      [] {
        (void)source({.name = "void.tif", .extent = {0, 5}});
      },
      ThrowsMessage<ParameterError>(AllOf(HasSubstr("void.tif"), HasSubstr("0x5"))));
  EXPECT_THROW((void)source({.extent = {5, 0}}), ParameterError);
  EXPECT_NO_THROW((void)source({.extent = {1, 1}}));
}

TEST(Image, OneToFourChannelsAreAccepted) {
  for (int channels = 1; channels <= 4; ++channels) EXPECT_EQ(source({.channels = channels}).channels(), channels);
  EXPECT_THROW((void)source({.channels = 0}), ParameterError);
  EXPECT_THAT([] { (void)source({.name = "five.tif", .channels = 5}); },
              ThrowsMessage<ParameterError>(AllOf(HasSubstr("five.tif"), HasSubstr("5 channels"))));
}

/// An operator of a program's own, which says what it should not.
class Careless final : public Operator {
 public:
  Careless(std::vector<ImageShape> shapes, Halo halo) : shapes_(std::move(shapes)), halo_(halo) {}
  [[nodiscard]] std::string describe() const override { return "careless"; }
  [[nodiscard]] ImageShape shape(std::span<const ImageShape> /*inputs*/) const override {
    return shapes_.empty() ? ImageShape{} : shapes_.front();
  }
  [[nodiscard]] std::vector<ImageShape> shapes(std::span<const ImageShape> /*inputs*/) const override {
    return shapes_;
  }
  [[nodiscard]] Halo halo() const override { return halo_; }
  [[nodiscard]] std::vector<Work> work(std::span<const ImageShape> /*inputs*/, const Extent& /*tile*/) const override {
    return {};
  }
  void compute(std::span<const ConstView> /*inputs*/, const MutableView& /*output*/,
               const ComputeContext& /*context*/) const override {}
  void reference(std::span<const ConstView> /*inputs*/, const MutableView& /*output*/) const override {}

 private:
  std::vector<ImageShape> shapes_;
  Halo halo_;
};

TEST(Image, WhatAnOperatorSaysIsCheckedBeforeAnythingReliesOnIt) {
  const Image in = source({.extent = {20, 10}});
  const auto refusal = [&](const std::string& why, std::vector<ImageShape> shapes, Halo halo = {}) {
    EXPECT_THAT([&] { (void)apply(std::make_shared<Careless>(std::move(shapes), halo), {in}); },
                ThrowsMessage<ParameterError>(AllOf(HasSubstr("careless"), HasSubstr(why))));
  };
  refusal("10x5 of one of 20x10", {{{10, 5}, in.shape().format}});
  refusal("0x0", {{{0, 0}, in.shape().format}});
  refusal("7 channels", {{in.shape().extent, {PixelType::f32, 7}}});
  refusal("0 channels", {{in.shape().extent, {PixelType::f32, 0}}});
  refusal("1 results of 0 shapes", {});
  refusal("halo of -3 x 0", {in.shape()}, {-3, 0});
  refusal("halo of 0 x 40000000000", {in.shape()}, {0, 40'000'000'000});
  EXPECT_NO_THROW((void)apply(std::make_shared<Careless>(std::vector{in.shape()}, Halo{3, 3}), {in}));
  EXPECT_THROW((void)apply(nullptr, {in}), ParameterError);
  EXPECT_THROW((void)apply(std::make_shared<Careless>(std::vector{in.shape()}, Halo{}), {}), ParameterError);
  EXPECT_THROW(Image(std::shared_ptr<const Source>()), ParameterError);
}

TEST(Image, StaysWhatItIsWhenItIsMovedFrom) {
  Image in = source({.extent = {20, 10}});
  const Image moved = std::move(in);
  EXPECT_EQ(in.shape(), moved.shape());  // NOLINT(bugprone-use-after-move): that is what is tested
}

TEST(Image, AChainLongerThanTheCallStackIsDeepGoesAsItCame) {
  Image last = source();
  for (int i = 0; i < 300'000; ++i) last = filter({last});
  last = source();
  EXPECT_EQ(last.node().use_count(), 1);
}

}  // namespace
}  // namespace tilewright
