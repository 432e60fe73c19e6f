#include "alternatives.hpp"

#include <fmt/format.h>

#include "best_first.hpp"
#include "node_use.hpp"
#include "tilewright/core/units.hpp"
#include "tilewright/model/node_curve.hpp"
#include "wishes.hpp"

namespace tilewright {
namespace {

/// So many of the alternatives, the fastest ones, are always priced in full.
constexpr int fewest_priced_alternatives = 20;

/// What was found of a change of grid; empty otherwise.
std::string why_not_regridded(const Candidate& candidate) {
  if (!candidate.redistribution_seconds) return {};
  return fmt::format("changing the grid takes at least {}, more than it saves",
                     format_seconds(*candidate.redistribution_seconds));
}

/// What a bound counts as this kind of step (Relaxation::terms()).
std::string_view term_name(StepKind kind) {
  switch (kind) {
    case StepKind::compute:
      return "computing";
    case StepKind::read:
      return "reading";
    case StepKind::write:
      return "writing";
    case StepKind::scatter:
      return "sending whole images";
    case StepKind::exchange:
      return "exchanging borders";
    case StepKind::gather:
    case StepKind::broadcast:
    case StepKind::allgather:
    case StepKind::redistribute:
    case StepKind::reduce:
      break;
  }
  return to_string(kind);
}

/// What plans are compared by: seconds, or the node-hours that they make of these.
struct Measure {
  double own = 1;  ///< factor of the seconds of a candidate
  double of_chosen = 1;
  std::string (*format)(double) = format_seconds;
};

/// The term for which a plan that is only bounded is not chosen: computing, if that alone is too much wherever
/// operators work; else that of which the bound has most more than the chosen plan.
std::string losing_term(const Candidate& candidate, const Candidate& chosen, const Measure& measure) {
  const CostTerms terms = candidate.terms.with_images_as_one();
  const double all = measure.of_chosen * chosen.path->seconds;
  const double alone = measure.own * terms.of(StepKind::compute);
  if (candidate.counted == Counted::work && alone > all)
    return fmt::format("computing alone takes {} more than all of this plan", measure.format(alone - all));
  const auto excess = terms.largest_excess_over(chosen.terms.with_images_as_one(), measure.own, measure.of_chosen);
  if (excess)
    return fmt::format("{} takes {} more in this bound", term_name(excess->kind), measure.format(excess->seconds));
  const auto largest = terms.largest_excess_over({}, measure.own);
  if (!largest) return "not priced in full";
  return fmt::format("{} takes {} of this bound", term_name(largest->kind), measure.format(largest->seconds));
}

/// Why a plan that is not priced in full takes more: at least so many per cent.
std::string why_not_priced(const Candidate& candidate, const Candidate& chosen, const Measure& measure) {
  std::string why = why_not_regridded(candidate);
  return why.empty() ? losing_term(candidate, chosen, measure) : why;
}

/// Of a plan that is to take little time.
std::string why_slower(const Candidate& candidate, const Candidate& chosen) {
  const double chosen_seconds = chosen.path->seconds;
  const double more = candidate.least_seconds - chosen_seconds;
  const double percent = chosen_seconds > 0 ? 100 * more / chosen_seconds : 0;
  if (!candidate.path) {
    if (more <= 0) {
      return fmt::format("at best {} faster ({:.1f} %), within the tie zone; the simpler configuration wins",
                         format_seconds(-more), -percent);
    }
    return fmt::format("at least {} slower ({:.1f} %): {}", format_seconds(more), percent,
                       why_not_priced(candidate, chosen, {}));
  }
  if (more == 0) return "equal time; the simpler configuration wins";
  if (more < 0) {
    return fmt::format("{} faster ({:.1f} %), within the tie zone; the simpler configuration wins",
                       format_seconds(-more), -percent);
  }
  std::string why = why_not_regridded(candidate);
  const auto excess = candidate.terms.largest_excess_over(chosen.terms);
  if (why.empty() && excess) {
    why = fmt::format("{} takes {} more", to_string(excess->kind), format_seconds(excess->seconds));
  }
  return fmt::format("{} slower ({:.1f} %){}{}", format_seconds(more), percent, why.empty() ? "" : ": ", why);
}

/// The node-hours of some seconds on one node.
std::string format_node_hours(double seconds) {
  return fmt::format("{:.3g}", node_hours(1, seconds));
}

/// Of the nodes of each.
Measure node_hours_of_both(const Candidate& candidate, const Candidate& chosen, const SearchSpace& space) {
  const auto nodes = [&](const Candidate& of) -> double { return nodes_used(space, of.configuration.grid); };
  return {nodes(candidate), nodes(chosen), format_node_hours};
}

/// In which kind of step the nodes of a candidate take more time than those of the chosen one by most.
std::string dearest_term(const Candidate& candidate, const Candidate& chosen, const Measure& measure) {
  const auto excess = candidate.terms.largest_excess_over(chosen.terms, measure.own, measure.of_chosen);
  if (!excess) return {};
  return fmt::format(": {} takes {} more", to_string(excess->kind), measure.format(excess->seconds));
}

/// Of a plan that is to take few node-hours.
std::string why_dearer(const Candidate& candidate, const Candidate& chosen, const SearchSpace& space) {
  const double own = node_hours_of(candidate.configuration, candidate.least_seconds, space);
  const double least = node_hours_of(chosen.configuration, chosen.least_seconds, space);
  const double percent = least > 0 ? 100 * (own - least) / least : 0;
  const Measure measure = node_hours_of_both(candidate, chosen, space);
  if (!candidate.path) {
    if (own <= least) return "not priced in full";
    return fmt::format("at least {:.1f} % more node-hours: {}", percent, why_not_priced(candidate, chosen, measure));
  }
  if (own > least) return fmt::format("{:.1f} % more node-hours{}", percent, dearest_term(candidate, chosen, measure));
  return "no fewer node-hours than the measurements can tell; the simpler configuration wins";
}

std::string why_not(const Candidate& candidate, const Candidate& chosen, const SearchSpace& space) {
  if (!candidate.is_possible()) return candidate.infeasible;
  return space.wishes.objective == Objective::time ? why_slower(candidate, chosen)
                                                   : why_dearer(candidate, chosen, space);
}

/// Prices the fastest candidates beside the chosen one, and what one rank alone takes.
void price_alternatives(Search& search, std::size_t chosen) {
  if (search[0].configuration.ranks == 1) search.priced(0);
  BestFirst best_first(search);
  for (int priced = 0; priced < fewest_priced_alternatives;) {
    const auto next = best_first.next();
    if (!next) return;
    if (*next != chosen) ++priced;
  }
}

}  // namespace

void add_alternatives(Plan& plan, const SearchSpace& space, Search& search, std::size_t chosen) {
  price_alternatives(search, chosen);
  const auto nearest = search.nearest_regrid(plan.ranks);
  for (std::size_t i = 0; i < search.size(); ++i) {
    const Candidate& other = search[i];
    if (i == chosen || (other.changes_grid() && !other.path && i != nearest)) continue;
    Alternative alternative{
        other.configuration.ranks, other.configuration.grid, {}, why_not(other, search[chosen], space)};
    alternative.second_grid = other.configuration.second;
    alternative.in_turn = other.configuration.in_turn;
    if (other.path) {
      alternative.predicted_seconds = other.path->seconds;
    } else if (other.is_possible()) {
      alternative.lower_bound_seconds = other.least_seconds;
    }
    plan.alternatives.push_back(std::move(alternative));
  }
}

}  // namespace tilewright
