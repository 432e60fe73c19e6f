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
  for (std::size_t i = 0; i < seconds_.size(); ++i) {
    const double more = factor * seconds_[i] - others_factor * other.seconds_[i];
    if (more > (largest ? largest->seconds : 0)) largest = Excess{static_cast<StepKind>(i), more};
  }
  return largest;
}

CostTerms CostTerms::with_images_as_one() const {
  CostTerms merged = *this;
  for (const StepKind kind : {StepKind::gather, StepKind::broadcast, StepKind::allgather}) {
    merged.add(StepKind::scatter, of(kind));
    merged.add(kind, -of(kind));
  }
  return merged;
}

}  // namespace tilewright
