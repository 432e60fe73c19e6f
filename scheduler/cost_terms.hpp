// Of what the time of a plan consists, by kind of step.
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "tilewright/model/plan.hpp"
#include "transition.hpp"

namespace tilewright {

/// Seconds by kind of step.
class CostTerms {
 public:
  void add(StepKind kind, double seconds) { seconds_[static_cast<std::size_t>(kind)] += seconds; }
  void add(const Transition& transition, double seconds);
  [[nodiscard]] double of(StepKind kind) const { return seconds_[static_cast<std::size_t>(kind)]; }
  /// The same with all that brings whole images to tiles, ranks or the root as one kind, scatter: lower bounds do not
  /// tell these apart.
  [[nodiscard]] CostTerms with_images_as_one() const;
  /// A kind of step, and by how much it takes longer than another plan's.
  struct Excess {
    StepKind kind = StepKind::compute;
    double seconds = 0;
  };
  /// The kind in which `factor` times this exceeds `others_factor` times `other` by most; none if none does.
  [[nodiscard]] std::optional<Excess> largest_excess_over(const CostTerms& other, double factor = 1,
                                                          double others_factor = 1) const;

 private:
  std::array<double, static_cast<std::size_t>(StepKind::write) + 1> seconds_{};
};

}  // namespace tilewright
