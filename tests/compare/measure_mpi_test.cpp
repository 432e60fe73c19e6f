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

TEST(MeasureTransfer, RefusesGridsThatAreTooLarge) {
  TransferSpec spec{TransferKind::scatter, Algorithm::oft, {1, world().ranks() + 1}, {{64, 64}, {PixelType::f32, 1}}};
  EXPECT_THROW((void)measure_transfer(world(), spec, 1), ParameterError);
}

}  // namespace
}  // namespace tilewright
