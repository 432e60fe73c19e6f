#include "cost_terms.hpp"

#include <fmt/format.h>

#include "tilewright/core/units.hpp"

namespace tilewright {

void CostTerms::add(const Transition& transition, double seconds) {
  if (transition.kind == Transition::Kind::none) return;
  // What is cut out of a replicated image counts with the operator that it is for, as in a plan.
  const bool is_for_operator = transition.kind == Transition::Kind::extract;
  const StepKind kind = is_for_operator ? StepKind::compute : step_kind(transition.kind);
  seconds_[kind] += seconds;
}

std::string CostTerms::largest_excess_over(const CostTerms& other) const {
  double most = 0;
  StepKind largest = StepKind::compute;
  for (const auto& [kind, seconds] : seconds_) {
    const auto others = other.seconds_.find(kind);
    const double more = seconds - (others == other.seconds_.end() ? 0 : others->second);
    if (more > most) {
      most = more;
      largest = kind;
    }
  }
  return most > 0 ? fmt::format("{} takes {} more", to_string(largest), format_seconds(most)) : std::string();
}

}  // namespace tilewright
