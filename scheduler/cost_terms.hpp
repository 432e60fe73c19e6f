// Of what the time of a plan consists, by kind of step.
#pragma once

#include <map>
#include <optional>

#include "tilewright/model/plan.hpp"
#include "transition.hpp"

namespace tilewright {

/// Seconds by kind of step.
class CostTerms {
 public:
  void add(StepKind kind, double seconds) { seconds_[kind] += seconds; }
  void add(const Transition& transition, double seconds);
  /// A kind of step, and by how much it takes longer than another plan's.
  struct Excess {
    StepKind kind = StepKind::compute;
    double seconds = 0;
  };
  /// The kind in which `factor` times this exceeds `others_factor` times `other` by most; none if none does.
  [[nodiscard]] std::optional<Excess> largest_excess_over(const CostTerms& other, double factor = 1,
                                                          double others_factor = 1) const;

 private:
  std::map<StepKind, double> seconds_;
};

}  // namespace tilewright
