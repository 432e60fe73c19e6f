// That a run gave the reference's values and pixels, on this rank, and in the memory that its plan states.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "support/mpi_environment.hpp"
#include "support/reference_run.hpp"
#include "tilewright/runtime/executor.hpp"

namespace tilewright::test {

inline void expect_equal_values(const std::vector<double>& values, const std::vector<double>& expected) {
  ASSERT_EQ(values.size(), expected.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool both_nan = values[i] != values[i] && expected[i] != expected[i];
    EXPECT_TRUE(both_nan || values[i] == expected[i]) << values[i] << " instead of " << expected[i];
  }
}

/// `recorded`: the pipeline as it was recorded, with outputs that are reduced or fetched.
inline void expect_reference_results(const ExecutionResult& result, const Plan& plan, const Pipeline& recorded) {
  const std::vector<Raster> expected = reference_images(recorded);
  for (std::size_t i = 0; i < recorded.outputs.size(); ++i) {
    const PipelineOutput& output = recorded.outputs[i];
    const Raster& reference = expected[static_cast<std::size_t>(output.image)];
    if (output.kind == OutputKind::reduce) {
      expect_equal_values(result.outputs[i].values, output.reduction->reference(reference.view()));
      continue;
    }
    ASSERT_NE(result.outputs[i].pixels, nullptr);
    EXPECT_TRUE(same_pixels(result.outputs[i].pixels->view(), reference.view()))
        << "output " << i << " on rank " << world().rank() << " of grid " << to_string(plan.grid);
  }
}

/// The same of a run that was timed, and its memory.
inline void expect_reference(const ExecutionResult& result, const Plan& plan, const Pipeline& recorded) {
  expect_reference_results(result, plan, recorded);
  if (!world().is_root()) return;
  for (std::size_t rank = 0; rank < static_cast<std::size_t>(plan.ranks); ++rank) {
    EXPECT_LE(result.trace.peak_bytes[rank], rank == 0 ? plan.root_bytes : plan.rank_bytes) << "rank " << rank;
  }
}

}  // namespace tilewright::test
