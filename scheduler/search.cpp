#include "search.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>

#include "sharing.hpp"

namespace tilewright {
namespace {

using Kind = Transition::Kind;

constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

Search::Search(const Pipeline& pipeline, const MachineProfile& profile, const CostModel& model,
               const SearchSpace& space, const std::vector<Configuration>& configurations)
    : pipeline_(pipeline),
      algorithms_(offered_algorithms(profile, space)),
      graph_(make_transition_graph(pipeline, space.max_states, space.halo, algorithms_)),
      relaxation_(pipeline, graph_.generations, algorithms_),
      pricer_(pipeline, profile, model, space),
      has_operators_(std::any_of(pipeline.images.begin(), pipeline.images.end(),
                                 [](const PipelineImage& image) { return image.op != nullptr; })),
      bound_(infinity) {
  std::vector<double> without_halos;
  for (const Configuration& configuration : configurations) {
    pricer_.configure(configuration);
    const Bound bound = relaxation_.bound(pricer_);
    Candidate& candidate = candidates_.emplace_back(Candidate{configuration, bound.seconds, {}, {}});
    if (bound.seconds == infinity) candidate.infeasible = why_infeasible();
    without_halos.push_back(bound.without_halos);
  }
  if (graph_.cut) bound_ = bound_of_all(without_halos, space.halo == HaloChoice::shallow ? 0 : most_generations);
}

/// Of all plans, the deepest halos included, which a cut graph does not hold: of configurations in the order of a bound
/// that is quickly made, as far as that leaves open which one has the least.
double Search::bound_of_all(const std::vector<double>& without_halos, int generations) {
  std::vector<std::size_t> order(candidates_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return without_halos[a] < without_halos[b]; });
  const Relaxation relaxation(pipeline_, generations, algorithms_);
  double least = infinity;
  for (const std::size_t i : order) {
    if (without_halos[i] >= least) break;
    pricer_.configure(candidates_[i].configuration);
    least = std::min(least, relaxation.bound(pricer_).seconds);
  }
  return least;
}

const Candidate& Search::priced(std::size_t index) {
  Candidate& candidate = candidates_[index];
  if (candidate.path || !candidate.is_possible()) return candidate;
  pricer_.configure(candidate.configuration);
  candidate.path = path();
  if (candidate.path) {
    candidate.least_seconds = candidate.path->seconds;
  } else {
    refuse(index, why_infeasible());
  }
  return candidate;
}

void Search::refuse(std::size_t index, std::string reason) {
  Candidate& candidate = candidates_[index];
  candidate.path.reset();
  candidate.least_seconds = infinity;
  candidate.infeasible = std::move(reason);
}

/// In the configuration of the pricer.
std::optional<ShortestPath> Search::path() {
  std::vector<double> seconds;
  std::vector<bool> is_exact;
  for (const Transition& transition : graph_.transitions) {
    seconds.push_back(pricer_.least_seconds(transition));
    is_exact.push_back(!has_messages(transition));
  }
  // Several ranks of which only the root works are no configuration of their own: that is what one rank does.
  const bool on_tiles = pricer_.configuration().ranks > 1 && has_operators_;
  while (true) {
    auto found = shortest_path(graph_, seconds, on_tiles ? std::optional(Kind::compute_tiles) : std::nullopt);
    if (!found) return std::nullopt;
    bool all_exact = true;
    for (const int step : found->transitions) {
      const auto i = static_cast<std::size_t>(step);
      if (is_exact[i]) continue;
      seconds[i] = pricer_.price(graph_.transitions[i]).seconds;
      is_exact[i] = true;
      all_exact = false;
    }
    if (all_exact) return found;
  }
}

/// Of the first operator that cannot work on the tiles, else of the last border that cannot be exchanged.
std::string Search::why_infeasible() const {
  std::string exchange_reason;
  for (const Transition& transition : graph_.transitions) {
    const bool is_needed = transition.kind == Kind::exchange && transition.depth == 0;
    if (is_needed) exchange_reason = pricer_.why_not(transition);
    if (transition.kind != Kind::compute_tiles) continue;
    std::string reason = pricer_.why_not(transition);
    if (!reason.empty()) return reason;
  }
  return !exchange_reason.empty() ? exchange_reason : "no way to compute on the tiles of this grid as forced";
}

std::vector<Transition> Search::transitions(const Candidate& candidate) const {
  std::vector<Transition> path;
  for (const int i : candidate.path->transitions) path.push_back(graph_.transitions[static_cast<std::size_t>(i)]);
  return path;
}

TransitionPricer& Search::pricer_of(const Candidate& candidate) {
  pricer_.configure(candidate.configuration);
  return pricer_;
}

BestFirst::BestFirst(Search& search, int max_ranks) : search_(search) {
  for (std::size_t i = 0; i < search.size(); ++i) {
    const Candidate& candidate = search[i];
    if (candidate.configuration.ranks > max_ranks || !candidate.is_possible()) continue;
    heap_.push_back({candidate.least_seconds, candidate.path.has_value(), i});
  }
  std::make_heap(heap_.begin(), heap_.end(), std::greater<>());
}

double BestFirst::least_seconds() const {
  return heap_.empty() ? infinity : heap_.front().seconds;
}

std::optional<std::size_t> BestFirst::next() {
  while (!heap_.empty()) {
    std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
    const Entry entry = heap_.back();
    heap_.pop_back();
    const Candidate& candidate = search_.priced(entry.index);
    if (!candidate.is_possible()) continue;
    if (entry.is_priced) return entry.index;
    heap_.push_back({candidate.least_seconds, true, entry.index});
    std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
  }
  return std::nullopt;
}

}  // namespace tilewright
