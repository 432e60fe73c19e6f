// Which steps of a plan are done at the same time, and the memory that they take then: as it is planned and as it runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tilewright/model/plan.hpp"

namespace tilewright {

/// How many steps are begun together with that one, itself counted. What is computed in bands is written and reduced
/// meanwhile; an overlapped exchange travels while the step after it computes.
/// With several threads a rank, writes that follow each other are done together, unless one replaces what another has
/// stored. Every other step is done alone.
[[nodiscard]] std::size_t steps_together(const Plan& plan, std::size_t first);

/// Whether the step computes band by band what the steps after it write and reduce.
[[nodiscard]] inline bool is_banded(const PlanStep& step) {
  return step.kind == StepKind::compute && step.bands > 1;
}

/// Whether the step can take an image band by band, as the root makes it.
[[nodiscard]] inline bool may_take_bands(const PlanStep& step) {
  return step.site == Site::root && (step.kind == StepKind::write || step.kind == StepKind::reduce);
}

/// How many bands of an image are in memory at a time: each thread's, and two that wait for a slow file.
[[nodiscard]] int bands_in_memory(int bands, int threads);

/// Memory of the bands that are there at a time, of all images that a banded step makes.
[[nodiscard]] std::int64_t bytes_of_bands(const Plan& plan, const PlanStep& banded);

/// The most bytes of those that so many threads can take at a time, one step each.
[[nodiscard]] std::int64_t bytes_together(std::vector<std::int64_t> bytes_of_steps, int threads);

}  // namespace tilewright
