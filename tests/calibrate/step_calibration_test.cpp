#include "../../src/calibrate/step_calibration.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tilewright/model/step_overhead.hpp"

namespace tilewright {
namespace {

TEST(StepCalibration, HasSamplesOfStepsThatDoNothing) {
  const OperatorMeasurement measurement = calibrate_steps(Switches::own);
  ASSERT_EQ(measurement.series.size(), 1U);
  const OperatorSeries& series = measurement.series.front();
  EXPECT_EQ(series.cell, step_overhead_cell());
  EXPECT_GE(series.samples.size(), 5U);
  double processor_s = 0;
  for (const OperatorSample& sample : series.samples) {
    EXPECT_GT(sample.processor_s, 0);
    EXPECT_GT(sample.elapsed_s, 0);
    processor_s = std::max(processor_s, sample.processor_s);
  }
  EXPECT_LT(processor_s, 1e-3) << "a step that computed an image would take longer";
  EXPECT_GT(measurement.computing.processor_s, processor_s) << "of all steps together";
}

}  // namespace
}  // namespace tilewright
