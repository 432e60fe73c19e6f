#include "tilewright/model/step_overhead.hpp"

#include <gtest/gtest.h>

#include "tilewright/model/cell_names.hpp"

namespace tilewright {
namespace {

TEST(StepOverhead, IsKeptInACellWithAName) {
  OperatorCell cell = step_overhead_cell();
  EXPECT_EQ(operator_cell_named(cell_name(cell)), cell);
  cell.time_per_unit.seconds = 3e-7;
  EXPECT_DOUBLE_EQ(step_overhead_s(MachineProfile("m", {}, {}, {cell})), 3e-7);
}

TEST(StepOverhead, IsNothingWhereNotMeasured) {
  EXPECT_EQ(step_overhead_s(MachineProfile("m", {}, {}, {{"copy", PixelType::f32, 0, 64, {1e-9, 0, 0}}})), 0);
}

}  // namespace
}  // namespace tilewright
