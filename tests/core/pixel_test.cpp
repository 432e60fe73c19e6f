#include "tilewright/core/pixel.hpp"

#include <gtest/gtest.h>

namespace tilewright {
namespace {

TEST(PixelType, KnowsItsSizeAndName) {
  EXPECT_EQ(bytes_of(PixelType::u8), 1U);
  EXPECT_EQ(bytes_of(PixelType::u16), 2U);
  EXPECT_EQ(bytes_of(PixelType::f32), 4U);
  EXPECT_EQ(bytes_of(PixelType::f64), 8U);
  EXPECT_EQ(to_string(PixelType::u16), "u16");
  for (const PixelType type : all_pixel_types) EXPECT_EQ(parse_pixel_type(to_string(type)), type);
  for (const char* text : {"", "u32", "F32", "f32 ", "float"}) {
    EXPECT_THROW((void)parse_pixel_type(text), ParameterError) << text;
  }
}

TEST(PixelType, ComputesInF32ExceptF64) {
  EXPECT_EQ(computing_type(PixelType::u8), PixelType::f32);
  EXPECT_EQ(computing_type(PixelType::u16), PixelType::f32);
  EXPECT_EQ(computing_type(PixelType::f32), PixelType::f32);
  EXPECT_EQ(computing_type(PixelType::f64), PixelType::f64);
}

TEST(PixelType, IsTheOneOfItsCxxType) {
  for (const PixelType type : all_pixel_types) {
    const PixelType back = with_type(type, [](auto tag) { return pixel_type_of<typename decltype(tag)::type>; });
    EXPECT_EQ(back, type);
  }
}

TEST(ImageShape, CountsChannels) {
  const ImageShape shape{{100, 30}, {PixelType::u16, 3}};
  EXPECT_EQ(shape.format.bytes(), 6U);
  EXPECT_EQ(shape.bytes(), 100 * 30 * 6);
  EXPECT_EQ((ImageShape{{1 << 20, 1 << 20}, {PixelType::f64, 4}}).bytes(), std::int64_t{1} << 45);
}

TEST(ImageShape, IsPrinted) {
  EXPECT_EQ(to_string(ImageShape{{512, 256}, {PixelType::f32, 1}}), "512x256 f32");
  EXPECT_EQ(to_string(ImageShape{{5, 6}, {PixelType::u8, 3}}), "5x6 u8 x3");
}

}  // namespace
}  // namespace tilewright
