#include "rejected_algorithms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "sharing.hpp"
#include "tilewright/core/units.hpp"

namespace tilewright {
namespace {

using Terms = std::vector<TransitionPricer::TransferTerm>;

double sum_of(const Terms& terms) {
  return std::accumulate(terms.begin(), terms.end(), 0.0,
                         [](double sum, const auto& term) { return sum + term.seconds; });
}

/// What it takes, and the term that makes the difference.
std::string why_not(const Terms& terms, double chosen_s, const SearchSpace& space) {
  const double more = sum_of(terms) - chosen_s;
  const auto largest =
      std::max_element(terms.begin(), terms.end(), [](const auto& a, const auto& b) { return a.seconds < b.seconds; });
  const std::string term = fmt::format("{} {}", largest->name, format_seconds(largest->seconds));
  if (more > 0) return fmt::format("{} slower: {}", format_seconds(more), term);
  if (space.tree) return fmt::format("another algorithm is forced: {}", term);
  return fmt::format("equal time; the simpler one wins: {}", term);
}

}  // namespace

void add_rejected_algorithms(Plan& plan, const MachineProfile& profile, const SearchSpace& space,
                             TransitionPricer& pricer) {
  const std::string nothing_shared = why_not_shared(profile, space, plan.ranks);
  for (PlanStep& step : plan.steps) {
    const bool has_choice = step.algorithm && step.kind != StepKind::reduce;
    if (!has_choice || !step.predicted_seconds) continue;
    const PlanImage& image = plan.images[static_cast<std::size_t>(step.image)];
    const bool of_tiles = step.kind != StepKind::broadcast;
    TransferSpec spec{
        transfer_kind(step.kind), {},         grid_of(plan, step), image.shape, of_tiles ? image.storage_halo : Halo{},
        step.exchanged,           step.cyclic};
    for (const Algorithm algorithm : offered_algorithms(profile, space)) {
      if (algorithm == *step.algorithm) continue;
      RejectedAlgorithm rejected{algorithm, {}, {}};
      if (algorithm == Algorithm::shared && !nothing_shared.empty()) {
        rejected.why_not = nothing_shared;
      } else {
        spec.algorithm = algorithm;
        const Terms terms = pricer.transfer_terms(spec, step.image);
        rejected.predicted_seconds = sum_of(terms);
        rejected.why_not = why_not(terms, *step.predicted_seconds, space);
      }
      step.rejected.push_back(std::move(rejected));
    }
  }
}

}  // namespace tilewright
