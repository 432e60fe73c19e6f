#include "rejected_algorithms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "file_parts.hpp"
#include "sharing.hpp"
#include "tilewright/core/units.hpp"
#include "tilewright/transfers/plan_transfer.hpp"

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

/// Of which a part may count in the step's own, or in that of the step that reads the image.
double full_seconds(const PlanStep& step, const TransferSpec& spec, const SearchSpace& space,
                    TransitionPricer& pricer) {
  const bool is_elsewhere = space.counted.contains(step.image) || spec.algorithm == Algorithm::shared;
  return is_elsewhere ? sum_of(pricer.transfer_terms(spec, step.image)) : *step.predicted_seconds;
}

/// A transfer of the image between the root and its tiles, with so much halo, by the fastest algorithm.
double fastest_seconds(TransferKind kind, const Plan& plan, const PlanStep& step, const MachineProfile& profile,
                       const SearchSpace& space, TransitionPricer& pricer) {
  const PlanImage& image = plan.images[static_cast<std::size_t>(step.image)];
  TransferSpec spec{kind, {}, grid_of(plan, step), image.shape, image.storage_halo, step.exchanged};
  double least = std::numeric_limits<double>::infinity();
  for (const Algorithm algorithm : offered_algorithms(profile, space)) {
    if (algorithm == Algorithm::shared && !why_not_shared(profile, space, plan.grid).empty()) continue;
    spec.algorithm = algorithm;
    least = std::min(least, sum_of(pricer.transfer_terms(spec, step.image)));
  }
  return least;
}

/// What a step on the tiles would take by two steps instead.
RejectedAlgorithm through_the_root(const PlanStep& step, std::string_view first, double first_s,
                                   std::string_view second, double second_s) {
  const double more_s = first_s + second_s - *step.predicted_seconds;
  const std::string parts =
      fmt::format("{} {} and {} {}", first, format_seconds(first_s), second, format_seconds(second_s));
  const std::string why = more_s < 0 ? "another plan is faster as a whole, needs less memory, or is forced"
                                     : fmt::format("{} slower", format_seconds(more_s));
  return {{}, first_s + second_s, fmt::format("{}: {}", why, parts)};
}

/// The times of a file that the root reads or writes, and of the transfer of its image to the tiles or from them.
double seconds_through_the_root(const Plan& plan, const PlanStep& file, StepKind transfer) {
  double seconds = *file.predicted_seconds;
  for (const PlanStep& step : plan.steps) {
    if (step.kind == transfer && step.image == file.image) seconds += step.predicted_seconds.value_or(0);
  }
  return seconds;
}

/// Of a file whose parts would be read or written on the tiles in so many seconds.
RejectedAlgorithm in_parts(double seconds, double through_the_root_s, std::string_view unless_slower) {
  const double more_s = seconds - through_the_root_s;
  const std::string why = more_s > 0 ? fmt::format("{} slower", format_seconds(more_s)) : std::string(unless_slower);
  return {{}, seconds, fmt::format("{}: {} through the root", why, format_seconds(through_the_root_s))};
}

/// Of a file: to read it through the root, or each rank its tile.
RejectedAlgorithm other_reading(const Plan& plan, const PlanStep& step, const Pipeline& pipeline,
                                const MachineProfile& profile, const SearchSpace& space, TransitionPricer& pricer) {
  if (step.site == Site::tiles) {
    const double scatter_s = fastest_seconds(TransferKind::scatter, plan, step, profile, space, pricer);
    return through_the_root(step, "read", pricer.read_on_root(step.image).seconds, "scatter", scatter_s);
  }
  std::string reason = why_not_in_parts(pipeline, step.image, profile, space);
  if (!reason.empty()) return {{}, {}, std::move(reason)};
  const TransitionCost cost = pricer.price({Transition::Kind::read_tiles, step.image});
  if (!cost.infeasible.empty()) return {{}, {}, cost.infeasible};
  return in_parts(cost.seconds, seconds_through_the_root(plan, step, StepKind::scatter),
                  "it does not pay for what comes after");
}

bool is_of_file(const PipelineImage& image) {
  return !image.source->is_resident() && !is_tiled_source(image);
}

/// Of a file: to write it through the root, or each rank its tile.
RejectedAlgorithm other_writing(const Plan& plan, const PlanStep& step, const Pipeline& pipeline,
                                const MachineProfile& profile, const SearchSpace& space, TransitionPricer& pricer) {
  if (step.site == Site::tiles) {
    const double write_s = pricer.write_on_root(step.output).seconds;
    return through_the_root(step, "gather", fastest_seconds(TransferKind::gather, plan, step, profile, space, pricer),
                            "write", write_s);
  }
  std::string reason = why_not_written_in_parts(pipeline, step.output, profile, space);
  if (!reason.empty()) return {{}, {}, std::move(reason)};
  const TransitionCost cost = pricer.price({Transition::Kind::write_tiles, step.output});
  if (!cost.infeasible.empty()) return {{}, {}, cost.infeasible};
  return in_parts(cost.seconds, seconds_through_the_root(plan, step, StepKind::gather),
                  "it does not pay after what comes before");
}

/// What an allgather would take as a gather and a broadcast, by each of the trees.
void add_rejected_trees(const Plan& plan, PlanStep& allgather, TransitionPricer& pricer) {
  for (const Algorithm tree : all_trees) {
    TransferSpec spec = transfer_of(plan, allgather);
    spec.kind = TransferKind::gather;
    spec.algorithm = tree;
    const double gather_s = sum_of(pricer.transfer_terms(spec, allgather.image));
    spec.kind = TransferKind::broadcast;
    spec.storage = {};
    const double broadcast_s = sum_of(pricer.transfer_terms(spec, allgather.image));
    RejectedAlgorithm rejected = through_the_root(allgather, "gather", gather_s, "broadcast", broadcast_s);
    rejected.algorithm = tree;
    allgather.rejected.push_back(std::move(rejected));
  }
}

}  // namespace

void add_rejected_files(Plan& plan, const Pipeline& pipeline, const MachineProfile& profile, const SearchSpace& space,
                        TransitionPricer& pricer) {
  for (PlanStep& step : plan.steps) {
    if (plan.ranks == 1 || !step.predicted_seconds) continue;
    if (step.kind == StepKind::write) {
      step.rejected.push_back(other_writing(plan, step, pipeline, profile, space, pricer));
    } else if (step.kind == StepKind::read && is_of_file(pipeline.images[static_cast<std::size_t>(step.image)])) {
      step.rejected.push_back(other_reading(plan, step, pipeline, profile, space, pricer));
    }
  }
}

void add_rejected_algorithms(Plan& plan, const MachineProfile& profile, const SearchSpace& space,
                             TransitionPricer& pricer) {
  const std::string nothing_shared = why_not_shared(profile, space, plan.grid);
  for (PlanStep& step : plan.steps) {
    if (step.kind == StepKind::allgather && step.predicted_seconds) add_rejected_trees(plan, step, pricer);
    const bool has_choice = step.algorithm && step.kind != StepKind::reduce;
    if (!has_choice || !step.predicted_seconds) continue;
    TransferSpec spec = transfer_of(plan, step);
    const double chosen_s = full_seconds(step, spec, space, pricer);
    for (const Algorithm algorithm : offered_algorithms(profile, space)) {
      if (algorithm == step.algorithm) continue;
      RejectedAlgorithm rejected{algorithm, {}, {}};
      if (algorithm == Algorithm::shared && !nothing_shared.empty()) {
        rejected.why_not = nothing_shared;
      } else if (algorithm == Algorithm::shared && spec.grid.ranks() > plan.ranks) {
        rejected.why_not = unshared_with_idle_ranks;
      } else {
        spec.algorithm = algorithm;
        const Terms terms = pricer.transfer_terms(spec, step.image);
        rejected.predicted_seconds = sum_of(terms);
        rejected.why_not = why_not(terms, chosen_s, space);
      }
      step.rejected.push_back(std::move(rejected));
    }
  }
}

}  // namespace tilewright
