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

}  // namespace
}  // namespace tilewright
