// A pipeline, machines and questions for tests of the planner.
#pragma once

#include <algorithm>
#include <string>

#include "support/test_pipeline.hpp"
#include "support/test_profiles.hpp"
#include "tilewright/scheduler/planner.hpp"

namespace tilewright::test {

/// Three filters with a halo, two of them written and one reduced.
inline Pipeline filters(const Extent& extent = {96, 96}, const Halo& halo = {3, 3}) {
  const Image in = test::source({.extent = extent});
  const Image a = test::filter({in}, {.name = "a", .halo = halo});
  const Image b = test::filter({in}, {.name = "b", .halo = halo});
  const Image c = test::filter({a, b}, {.name = "c"});
  return record({test::write(a, "a.tif"), test::write(c, "c.tif"), test::reduce(b)});
}

inline Plan plan_on(const Pipeline& pipeline, const MachineProfile& profile, const SearchSpace& space) {
  return plan_pipeline(pipeline, profile, *make_cost_model("", profile), space);
}
inline Plan plan_on(const Pipeline& pipeline, const SyntheticMachine& machine, const SearchSpace& space) {
  return plan_on(pipeline, test::profile_of(machine), space);
}

inline const SyntheticMachine slow_network{.latency_s = 1};
inline const SyntheticMachine slow_computing{.latency_s = 1e-7, .seconds_per_byte = 1e-12, .seconds_per_value = 1e-5};
inline const SyntheticMachine nothing_costs{
    .latency_s = 0, .seconds_per_byte = 0, .seconds_per_value = 0, .seconds_per_copied_value = 0};

inline std::string error_of(const Pipeline& pipeline, const SyntheticMachine& machine, const SearchSpace& space) {
  try {
    static_cast<void>(plan_on(pipeline, machine, space));
  } catch (const ParameterError& error) {
    return error.what();
  }
  return "no error";
}

inline int count(const Plan& plan, StepKind kind) {
  return static_cast<int>(
      std::count_if(plan.steps.begin(), plan.steps.end(), [&](const PlanStep& step) { return step.kind == kind; }));
}

inline const Alternative* alternative(const Plan& plan, const ProcessGrid& grid) {
  const auto found = std::find_if(plan.alternatives.begin(), plan.alternatives.end(),
                                  [&](const Alternative& a) { return a.grid == grid; });
  return found == plan.alternatives.end() ? nullptr : &*found;
}

}  // namespace tilewright::test
