#include "other_decisions.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "cost_terms.hpp"
#include "tilewright/core/units.hpp"

namespace tilewright {
namespace {

/// A decision the other way.
struct Decision {
  std::string words;
  SearchSpace space;
};

template <class Is>
bool any_step(const Plan& plan, Is&& is) {
  return std::any_of(plan.steps.begin(), plan.steps.end(), is);
}

bool has_kind(const Plan& plan, StepKind kind) {
  return any_step(plan, [&](const PlanStep& step) { return step.kind == kind; });
}

std::string_view words_of(Packing packing) {
  switch (packing) {
    case Packing::datatype:
      return "messages as derived datatypes";
    case Packing::manual:
      return "messages packed by hand";
    case Packing::blocked:
      return "messages in pieces";
  }
  return {};
}

/// Forced deep halos and distributions ask for all work on the tiles, so they are no other way of a plan that leaves a
/// part of it to the root.
std::vector<Decision> the_other_way(const Plan& plan, const SearchSpace& space) {
  std::vector<Decision> others;
  const auto add = [&](std::string_view words, auto&& force) {
    force(others.emplace_back(Decision{std::string(words), space}).space);
  };
  const bool exchanges = has_kind(plan, StepKind::exchange);
  const bool overlaps = any_step(plan, [](const PlanStep& step) { return step.overlapped; });
  const bool is_deep = any_step(plan, [](const PlanStep& step) { return !step.margin.empty(); });
  const bool all_on_tiles =
      !any_step(plan, [](const PlanStep& step) { return step.kind == StepKind::compute && step.site != Site::tiles; });
  if (!space.overlap && exchanges) {
    add(overlaps ? "exchanges awaited before tiles are computed" : "exchanges that pass while tiles are computed",
        [&](SearchSpace& other) { other.overlap = !overlaps; });
  }
  if (!space.halo && is_deep) {
    add("each halo exchanged", [](SearchSpace& other) { other.halo = HaloChoice::shallow; });
  } else if (!space.halo && exchanges && all_on_tiles) {
    add("deep halos", [](SearchSpace& other) { other.halo = HaloChoice::deep; });
  }
  const bool is_everywhere = any_step(plan, [](const PlanStep& step) { return step.site == Site::everywhere; });
  if (is_everywhere)
    add("results computed once, and sent to all ranks", [](SearchSpace& other) { other.everywhere = false; });
  const bool replicates = has_kind(plan, StepKind::broadcast);
  if (!space.distribution && all_on_tiles && replicates != has_kind(plan, StepKind::scatter)) {
    add(replicates ? "tiles scattered" : "whole images for all ranks",
        [&](SearchSpace& other) { other.distribution = replicates ? Distribution::scatter : Distribution::broadcast; });
  }
  for (const Packing packing : all_packings) {
    const bool is_other = any_step(
        plan, [&](const PlanStep& step) { return step.packing && !step.overlapped && *step.packing != packing; });
    if (space.packing || !is_other) continue;
    add(words_of(packing), [&](SearchSpace& other) { other.packing = packing; });
  }
  return others;
}

CostTerms terms_of(const Plan& plan) {
  CostTerms terms;
  for (const PlanStep& step : plan.steps)
    terms.add(step.kind, step.predicted_seconds.value_or(0) - step.hidden_seconds);
  return terms;
}

/// The kind of step that grows most.
std::string largest_term(const Plan& plan, const Plan& other) {
  const auto excess = terms_of(other).largest_excess_over(terms_of(plan));
  if (!excess) return {};
  return fmt::format(": {} {} more", to_string(excess->kind), format_seconds(excess->seconds));
}

}  // namespace

std::string other_decisions(const Plan& plan, const SearchSpace& space, const PlanOnGrid& plan_on_grid) {
  if (plan.ranks == 1 || !plan.predicted_seconds) return {};
  std::vector<std::string> told;
  for (const auto& [words, forced] : the_other_way(plan, space)) {
    const std::optional<Plan> other = plan_on_grid(forced);
    if (!other || other->steps == plan.steps) continue;
    told.push_back(
        fmt::format("{} {}{}", words, format_seconds(*other->predicted_seconds), largest_term(plan, *other)));
  }
  if (told.empty()) return {};
  return fmt::format("on this grid otherwise: {}", fmt::join(told, "; "));
}

}  // namespace tilewright
