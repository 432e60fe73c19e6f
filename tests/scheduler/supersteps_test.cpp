#include "tilewright/scheduler/supersteps.hpp"

#include <gtest/gtest.h>

namespace tilewright {
namespace {

constexpr std::int64_t side = 64;
constexpr std::int64_t image_bytes = side * side * 4;

std::vector<Superstep> steps_of(TransferKind kind, std::optional<Algorithm> tree, int ranks, Halo halo = {}) {
  return supersteps(make_schedule({kind, tree, {1, ranks}, {{side, side}, {PixelType::f32, 1}}, halo, halo}));
}

TEST(Supersteps, AFlatTreeIsOne) {
  const Superstep scatter{image_bytes * 3 / 4, 3, image_bytes * 3 / 4};
  EXPECT_EQ(steps_of(TransferKind::scatter, Algorithm::oft, 4), std::vector{scatter});
  EXPECT_EQ(steps_of(TransferKind::gather, Algorithm::oft, 4), std::vector{scatter});
  const Superstep broadcast{image_bytes * 3, 3, image_bytes * 3};
  EXPECT_EQ(steps_of(TransferKind::broadcast, Algorithm::oft, 4), std::vector{broadcast});
}

TEST(Supersteps, ABinomialTreeIsOneALevel) {
  const std::int64_t tile = image_bytes / 8;
  EXPECT_EQ(steps_of(TransferKind::scatter, Algorithm::sbt, 8),
            (std::vector<Superstep>{{4 * tile, 1, 4 * tile}, {2 * tile, 1, 4 * tile}, {tile, 1, 4 * tile}}));
  EXPECT_EQ(steps_of(TransferKind::broadcast, Algorithm::sbt, 8).size(), 3U);
}

TEST(Supersteps, AnExchangeIsOneADirection) {
  const std::vector<Superstep> steps = steps_of(TransferKind::exchange, std::nullopt, 4, {1, 1});
  const std::int64_t border = (side + 2) * 4;
  EXPECT_EQ(steps, (std::vector<Superstep>{{border, 1, 3 * border}, {border, 1, 3 * border}}));
}

TEST(Supersteps, NothingToSendIsNone) {
  EXPECT_TRUE(steps_of(TransferKind::scatter, Algorithm::oft, 1).empty());
}

}  // namespace
}  // namespace tilewright
