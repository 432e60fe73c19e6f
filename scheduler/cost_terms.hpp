// Of what the time of a plan consists, by kind of step.
#pragma once

#include <map>
#include <string>

#include "tilewright/model/plan.hpp"
#include "transition_graph.hpp"

namespace tilewright {

/// Seconds by kind of step.
class CostTerms {
 public:
  void add(const Transition& transition, double seconds);
  /// The kind of step in which this takes longer than `other` by most: "gather takes 3.35 s more"; empty if none does.
  [[nodiscard]] std::string largest_excess_over(const CostTerms& other) const;

 private:
  std::map<StepKind, double> seconds_;
};

}  // namespace tilewright
