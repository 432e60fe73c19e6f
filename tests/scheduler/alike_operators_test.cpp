#include "../../scheduler/alike_operators.hpp"

#include <gtest/gtest.h>

#include "support/test_pipeline.hpp"

namespace tilewright {
namespace {

using test::filter;
using test::source;

TEST(AlikeOperators, AreOfOneClassWithTheSameWorkWhereverTheirNamesDiffer) {
  const Image in = source({});
  const Image a = filter({in}, {.name = "a", .halo = {2, 2}, .parameter = 5});
  const Image b = filter({a}, {.name = "b", .halo = {2, 2}, .parameter = 5});
  const Image more_taps = filter({b}, {.name = "a", .halo = {2, 2}, .parameter = 7});
  const Image farther = filter({more_taps}, {.name = "a", .halo = {3, 2}, .parameter = 5});
  const Image of_two = filter({farther, in}, {.name = "a", .halo = {2, 2}, .parameter = 5});
  const Image in_pieces = filter({of_two}, {.name = "a", .halo = {2, 2}, .parameter = 5, .piece = 64});
  const Pipeline pipeline = record({test::write(in_pieces, "out")});
  ASSERT_EQ(pipeline.images.size(), 7U);
  EXPECT_EQ(alike_operators(pipeline), (std::vector<std::size_t>{0, 1, 1, 3, 4, 5, 6}));
}

}  // namespace
}  // namespace tilewright
