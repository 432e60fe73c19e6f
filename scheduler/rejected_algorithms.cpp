#include "rejected_algorithms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "file_parts.hpp"
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

/// A scatter of the image, or what stands instead of one, with so much halo, by the fastest algorithm.
double scatter_seconds(const Plan& plan, const PlanStep& step, const MachineProfile& profile, const SearchSpace& space,
                       TransitionPricer& pricer) {
  const PlanImage& image = plan.images[static_cast<std::size_t>(step.image)];
  TransferSpec spec{TransferKind::scatter, {}, grid_of(plan, step), image.shape, image.storage_halo, step.exchanged};
  double least = std::numeric_limits<double>::infinity();
  for (const Algorithm algorithm : offered_algorithms(profile, space)) {
    if (algorithm == Algorithm::shared && !why_not_shared(profile, space, plan.ranks).empty()) continue;
    spec.algorithm = algorithm;
    least = std::min(least, sum_of(pricer.transfer_terms(spec, step.image)));
  }
  return least;
}

/// Of a file: to read it through the root, or each rank its tile.
RejectedAlgorithm other_reading(const Plan& plan, const PlanStep& step, const Pipeline& pipeline,
                                const MachineProfile& profile, const SearchSpace& space, TransitionPricer& pricer) {
  using Kind = Transition::Kind;
  if (step.site == Site::tiles) {
    const double read_s = pricer.read_on_root(step.image).seconds;
    const double scatter_s = scatter_seconds(plan, step, profile, space, pricer);
    const double more_s = read_s + scatter_s - *step.predicted_seconds;
    const std::string parts = fmt::format("read {} and scatter {}", format_seconds(read_s), format_seconds(scatter_s));
    if (more_s < 0) return {{}, read_s + scatter_s, fmt::format("another access to files is forced: {}", parts)};
    return {{}, read_s + scatter_s, fmt::format("{} slower: {}", format_seconds(more_s), parts)};
  }
  std::string reason = why_not_in_parts(pipeline, step.image, profile, space);
  if (!reason.empty()) return {{}, {}, std::move(reason)};
  const TransitionCost cost = pricer.price({Kind::read_tiles, step.image});
  if (!cost.infeasible.empty()) return {{}, {}, cost.infeasible};
  return {{}, cost.seconds, "it does not pay for what comes after"};
}

}  // namespace

void add_rejected_readings(Plan& plan, const Pipeline& pipeline, const MachineProfile& profile,
                           const SearchSpace& space, TransitionPricer& pricer) {
  for (PlanStep& step : plan.steps) {
    if (plan.ranks == 1 || step.kind != StepKind::read || !step.predicted_seconds) continue;
    if (pipeline.images[static_cast<std::size_t>(step.image)].source->is_resident()) continue;
    step.rejected.push_back(other_reading(plan, step, pipeline, profile, space, pricer));
  }
}

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
      if (algorithm == step.algorithm) continue;
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
