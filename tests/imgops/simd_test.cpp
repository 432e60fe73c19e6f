#include "tilewright/imgops/simd.hpp"

#include <gtest/gtest.h>

#include <utility>

#include "tilewright/core/border_fill.hpp"
#include "tilewright/core/error.hpp"
#include "tilewright/imgops/convolution.hpp"
#include "tilewright/imgops/files.hpp"

namespace tilewright {
namespace {

TEST(SimdLevel, HasNames) {
  for (const SimdLevel level : all_simd_levels) EXPECT_EQ(parse_simd_level(to_string(level)), level);
  EXPECT_THROW((void)parse_simd_level("mmx"), ParameterError);
}

TEST(SimdLevel, IsInForceOnceSelected) {
  EXPECT_EQ(current_simd_level(), best_simd_level());
  for (const SimdLevel level : all_simd_levels) {
    if (level <= best_simd_level()) {
      select_simd_level(level);
      EXPECT_EQ(current_simd_level(), level);
    } else {
      EXPECT_THROW(select_simd_level(level), ParameterError);
    }
  }
  select_simd_level(best_simd_level());
  EXPECT_EQ(current_simd_level(), best_simd_level());
}

/// Asking for the level must not change what is in force: 3 * (1/3) - 1 is 0 if the product is rounded, else not.
TEST(SimdLevel, StaysInForceWhenAskedFor) {
  const float third = 1.0F / 3;
  for (const SimdLevel level : all_simd_levels) {
    if (level > best_simd_level()) continue;
    select_simd_level(level);
    EXPECT_EQ(current_simd_level(), level);
    Raster row(ImageShape{{64, 1}, {PixelType::f32, 1}});
    for (std::int64_t x = 0; x < 64; ++x) *row.at<float>(x, 0) = x % 2 == 0 ? -1.0F : 3.0F;
    const Image filtered =
        convolve_separable(Image(image_in_memory(std::move(row), "row")), {third, 1, 0}, {1}, {.border = Border::wrap});
    const Raster source = filtered.node()->inputs.front()->source->load(filtered.node()->op->halo());
    Raster padded_source = source.copy(filtered.node()->op->halo());
    fill_border(padded_source.view(), {64, 1}, filtered.node()->op->halo(), Border::wrap, 0);
    Raster result(filtered.shape());
    const ConstView input = std::as_const(padded_source).view();
    filtered.node()->op->compute({&input, 1}, result.view(), {});
    EXPECT_EQ(*result.at<float>(8, 0) != 0, fuses_multiply_add(level)) << to_string(level);
  }
  select_simd_level(best_simd_level());
}

}  // namespace
}  // namespace tilewright
