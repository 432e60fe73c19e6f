#include "cost_terms.hpp"

namespace tilewright {

void CostTerms::add(const Transition& transition, double seconds) {
  if (transition.kind == Transition::Kind::none) return;
  // What is cut out of a replicated image counts with the operator that it is for, as in a plan.
  const bool is_for_operator = transition.kind == Transition::Kind::extract;
  add(is_for_operator ? StepKind::compute : step_kind(transition.kind), seconds);
}

std::optional<CostTerms::Excess> CostTerms::largest_excess_over(const CostTerms& other, double factor,
                                                                double others_factor) const {
  std::optional<Excess> largest;
  for (const auto& [kind, seconds] : seconds_) {
    const auto others = other.seconds_.find(kind);
    const double more = factor * seconds - (others == other.seconds_.end() ? 0 : others_factor * others->second);
    if (more > (largest ? largest->seconds : 0)) largest = Excess{kind, more};
  }
  return largest;
}

}  // namespace tilewright
