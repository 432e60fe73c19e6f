// Of plans that the profile cannot tell from the best one, the simplest.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "search.hpp"
#include "uncertainty.hpp"

namespace tilewright {

/// A candidate with its plan.
struct Choice {
  std::size_t index = 0;
  Plan plan;
  ErrorEffects effects = {};  ///< on its time
};

/// What the errors of measurements do to the times of a search's candidates.
class CandidateErrors {
 public:
  /// Refers to all that it is given.
  CandidateErrors(const Pipeline& pipeline, const MachineProfile& profile, const CostModel& model,
                  const SearchSpace& space, Search& search);

  [[nodiscard]] const ErrorSource& source() const { return *sources_.front(); }
  /// Of a candidate that has a path; found by a worker of share_out().
  [[nodiscard]] ErrorEffects of(std::size_t worker, std::size_t index);

 private:
  std::function<std::unique_ptr<ErrorSource>(std::size_t worker)> make_source_;
  Search& search_;
  std::vector<std::unique_ptr<ErrorSource>> sources_;  ///< by worker, once it needs one
};

/// Makes the plan of a candidate.
using PlanMaker = std::function<Plan(const Candidate&)>;

/// Of the candidates that the profile cannot tell from the best one, that with the simplest plan; of equally simple
/// ones the first. A candidate can be told from it if it takes longer by more than the standard error of the best
/// one's time, by more than that of the difference, or by more than simplicity is worth.
[[nodiscard]] Choice simplest_in_tie_zone(const SearchSpace& space, Search& search, const Choice& best,
                                          CandidateErrors& errors, const PlanMaker& make);

}  // namespace tilewright
