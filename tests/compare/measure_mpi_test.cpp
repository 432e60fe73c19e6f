#include <gtest/gtest.h>

#include "support/mpi_environment.hpp"
#include "support/test_profiles.hpp"
#include "tilewright/compare/comparison.hpp"
#include "tilewright/core/error.hpp"
#include "tilewright/model/cell_names.hpp"

namespace tilewright {
namespace {

using test::world;

TEST(MeasureForComparison, MeasuresEveryMessageAndTransfer) {
  const ComparisonEffort effort{.messages = 24, .seed = 1, .budget_s = 0.2};
  if (world().ranks() < 2) {
    EXPECT_THROW((void)measure_for_comparison(world(), test::das_profile(), effort), ParameterError);
    return;
  }
  const Measurements measurements = measure_for_comparison(world(), test::das_profile(), effort);
  if (!world().is_root()) {
    EXPECT_EQ(measurements, Measurements());
    return;
  }
  EXPECT_EQ(measurements.messages.size(), 24U);
  EXPECT_EQ(measurements.transfers.size(), transfers_to_compare(world().ranks()).size());
  EXPECT_EQ(measurements.launches(), 1);
  for (const MeasuredMessage& message : measurements.messages) {
    EXPECT_GT(message.cell.time.seconds, 0) << cell_name(message.cell);
    EXPECT_GE(message.cell.time.samples, 1) << cell_name(message.cell);
  }
  for (const MeasuredTransfer& transfer : measurements.transfers) EXPECT_GT(transfer.time.seconds, 0);
}

/// Only the root's profile has them: their memory is what its partner has to be told of.
TEST(MeasureForComparison, MeasuresTheProfilesLongMessages) {
  if (world().ranks() < 2) return;
  constexpr std::int64_t bytes = std::int64_t{32} << 20;
  std::vector<PathCell> cells;
  for (const Path path : all_paths) cells.push_back({path, Layout::cc, bytes, {1e-2, 0, 5}});
  const MachineProfile profile = world().is_root() ? MachineProfile{"m", {}, cells, {}} : MachineProfile{};
  const Measurements measurements =
      measure_for_comparison(world(), profile, {.messages = 12, .seed = 1, .budget_s = 0});
  if (!world().is_root()) return;
  ASSERT_EQ(measurements.known.size(), 3U);
  for (const MeasuredMessage& message : measurements.known) EXPECT_EQ(message.cell.bytes, bytes);
}

TEST(MeasureTransfer, NumbersRanksAsTheGridLiesOnNodes) {
  if (world().nodes() > 1) return;
  EXPECT_FALSE(mapping_of(world()).is_given()) << "one node";
  EXPECT_EQ(note_on_uneven_nodes(world()), "");
  ProcessGrid grid{1, world().ranks(), {}, {}, {world().ranks()}};
  const TransferSpec fits{TransferKind::scatter, Algorithm::oft, grid, {{64, 64}, {PixelType::f32, 1}}};
  const Estimate time = measure_transfer(world(), fits, 2);
  EXPECT_EQ(time.seconds > 0, world().is_root());
  if (world().ranks() < 2) return;
  TransferSpec spread = fits;
  spread.grid.mapping = {world().ranks() / 2};  // on two nodes
  EXPECT_THROW((void)measure_transfer(world(), spread, 2), ParameterError);
}

TEST(MeasureTransfer, RefusesGridsThatAreTooLarge) {
  TransferSpec spec{TransferKind::scatter, Algorithm::oft, {1, world().ranks() + 1}, {{64, 64}, {PixelType::f32, 1}}};
  EXPECT_THROW((void)measure_transfer(world(), spec, 1), ParameterError);
}

}  // namespace
}  // namespace tilewright
