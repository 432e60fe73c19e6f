#include "plan_notes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "node_use.hpp"
#include "tilewright/core/error.hpp"
#include "tilewright/core/units.hpp"
#include "tilewright/model/node_curve.hpp"
#include "wishes.hpp"

namespace tilewright {
namespace {

std::string_view what_is_missing(LeftOut left_out) {
  switch (left_out) {
    case LeftOut::grids:
      return "of the changes of the grid not all were priced";
    case LeftOut::labels:
      return "of the ways to serve ranks in turn not all were followed";
    case LeftOut::memories:
      return "of the plans that need less memory than faster ones not all were tried";
  }
  throw InternalError("what_is_missing: unknown reason");
}

std::string why_not_proven(const SearchSpace& space, const Search& search) {
  std::vector<std::string> reasons;
  if (search.is_cut()) reasons.push_back(fmt::format("the search was cut at {} states", space.max_states));
  for (const LeftOut left_out : search.left_out()) reasons.emplace_back(what_is_missing(left_out));
  return fmt::format("{}", fmt::join(reasons, ", and "));
}

}  // namespace

void add_proof(Plan& plan, const SearchSpace& space, const Search& search, double seconds) {
  if (plan.proven_optimal) return;
  const double bound = *plan.lower_bound_seconds;
  const std::string gap =
      bound > 0 ? fmt::format("; at most {:.1f} % above the bound", 100 * (seconds / bound - 1)) : "";
  plan.notes.push_back(fmt::format("not proven optimal: {}{}", why_not_proven(space, search), gap));
}

void add_unknowns(Plan& plan, const MachineProfile& profile, const SearchSpace& space) {
  std::set<std::string> unknown;
  for (const PlanStep& step : plan.steps) {
    if (step.predicted_seconds || !unknown.insert(step.operation).second) continue;
    plan.notes.push_back(
        fmt::format("machine '{}' has no cost for '{}': it is not counted", profile.name(), step.operation));
  }
  if (profile.fingerprint().cores_per_node < 1) {
    plan.notes.push_back("the profile does not say how many cores a node has: one for each rank is assumed");
  }
  if (space.node_memory <= 0) {
    plan.notes.push_back("the memory of a node is not known: every plan is taken to fit");
  }
}

void add_refresh(Plan& plan, const MachineProfile& profile) {
  const Refresh& found = profile.refresh();
  if (found.date.empty()) return;
  std::string messages;
  if (found.messages != MessageFactors{}) {
    const auto [least, most] = std::ranges::minmax(found.messages.all());
    messages = fmt::format(", and messages {:.2f} to {:.2f} times", least, most);
  }
  plan.notes.push_back(fmt::format("computing takes {:.2f} times as long as calibrated{}, as a refresh found at {}",
                                   found.computing_factor, messages, found.date));
}

void add_speeds(Plan& plan, const SearchSpace& space) {
  constexpr std::size_t most_told = 16;
  const auto known = std::min(space.rank_speeds.size(), static_cast<std::size_t>(plan.ranks));
  const auto end = space.rank_speeds.begin() + static_cast<std::ptrdiff_t>(known);
  const auto [least, most] = std::minmax_element(space.rank_speeds.begin(), end);
  if (known == 0 || *least == *most) return;
  std::vector<std::string> speeds;
  for (auto speed = space.rank_speeds.begin(); speed != end && speeds.size() < most_told; ++speed) {
    speeds.push_back(fmt::format("{:.3g}", *speed));
  }
  if (known > most_told) speeds.push_back("...");
  plan.notes.push_back(fmt::format("ranks are not equally fast ({} times the slowest node's speed): tiles are {}",
                                   fmt::join(speeds, " "), plan.grid.is_even() ? "equal all the same" : "unequal"));
}

void add_mapping(Plan& plan, const SearchSpace& space) {
  const NodeMapping& mapping = plan.grid.mapping;
  if (plan.ranks == 1 || !mapping.is_given()) return;
  const int on_node = ranks_on_node(space, plan.grid);
  const int nodes = nodes_used(space, plan.grid);
  const std::string which =
      mapping.is_in_blocks()
          ? fmt::format("a block of {}x{} of the grid", mapping.columns, mapping.ranks / mapping.columns)
          : fmt::format("{} {}", on_node, on_node == 1 ? "rank" : "ranks that follow each other");
  plan.notes.push_back(nodes == 1 ? fmt::format("all {} ranks are on the root's node", plan.ranks)
                                  : fmt::format("{} nodes have {} each, where up to {} were started", nodes, which,
                                                space.ranks_per_node));
}

void add_overlaps(Plan& plan) {
  double hidden_s = 0;
  int exchanges = 0;
  for (const PlanStep& step : plan.steps) {
    if (!step.overlapped) continue;
    ++exchanges;
    hidden_s += step.hidden_seconds;
  }
  if (exchanges == 0) return;
  plan.notes.push_back(fmt::format(
      "{} exchange{} while tiles are computed as far as they need no neighbour: {} of {} hidden", exchanges,
      exchanges == 1 ? " passes" : "s pass", format_seconds(hidden_s), exchanges == 1 ? "it is" : "them are"));
}

void add_hidden(Plan& plan) {
  double hidden_s = 0;
  for (const PlanStep& step : plan.steps) hidden_s += step.overlapped ? 0 : step.hidden_seconds;
  if (hidden_s <= 0) return;
  plan.notes.push_back(
      fmt::format("the root serves ranks in turn, some of which compute or send results while others are still fed: of "
                  "what the steps take by themselves, {} pass at the same time",
                  format_seconds(hidden_s)));
}

void add_wishes(Plan& plan, const SearchSpace& space, double seconds) {
  const double spent = node_hours(nodes_used(space, plan.grid), seconds);
  if (space.wishes.objective == Objective::node_hours) {
    plan.notes.push_back(fmt::format("chosen for the fewest node-hours, {:.3g}, not for the least time", spent));
  }
  if (space.wishes.most_node_hours) {
    plan.notes.push_back(
        fmt::format("takes {:.3g} of the {:.3g} node-hours that may be spent", spent, *space.wishes.most_node_hours));
  }
}

void add_sources_of_error(Plan& plan, const ErrorSource& errors, const ErrorEffects& effects) {
  constexpr double most_of_it = 0.9;
  constexpr std::size_t most_sources = 3;
  const double all = standard_error(effects);
  if (!(all > 0)) return;
  const std::vector<std::string> names = errors.names();
  std::vector<std::size_t> order(effects.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return effects[a] > effects[b]; });
  std::vector<std::string> sources;
  double squares = 0;
  for (const std::size_t i : order) {
    if (squares >= most_of_it * all * all || sources.size() == most_sources) break;
    squares += effects[i] * effects[i];
    sources.push_back(fmt::format("{} (+-{})", names[i], format_seconds(effects[i])));
  }
  plan.notes.push_back(fmt::format("the predicted time may be off by +-{}, mostly by what was measured of {}",
                                   format_seconds(all), fmt::join(sources, ", ")));
}

}  // namespace tilewright
