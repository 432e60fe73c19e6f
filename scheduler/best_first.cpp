#include "best_first.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace tilewright {

BestFirst::BestFirst(Search& search, int max_nodes, CostOfSeconds cost_of)
    : search_(search), max_nodes_(max_nodes), cost_of_(std::move(cost_of)) {
  for (std::size_t i = 0; i < search.size(); ++i) {
    if (const auto entry = entry_of(i)) heap_.push_back(*entry);
  }
  std::make_heap(heap_.begin(), heap_.end(), std::greater<>());
  for (std::size_t i = 0; i < search.regrid_groups().size(); ++i) {
    if (search.nodes(search.regrid_groups()[i]) <= max_nodes) push_group(i);
  }
}

double BestFirst::cost(int nodes, double seconds) const {
  return cost_of_ ? cost_of_(nodes, seconds) : seconds;
}

void BestFirst::push(const Entry& entry) {
  heap_.push_back(entry);
  std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
}

std::optional<BestFirst::Entry> BestFirst::entry_of(std::size_t index) const {
  const Candidate& candidate = search_[index];
  const int nodes = search_.nodes(candidate);
  if (nodes > max_nodes_ || !candidate.is_possible()) return std::nullopt;
  return Entry{cost(nodes, candidate.least_seconds), candidate.path.has_value(), false, index};
}

void BestFirst::push_candidate(std::size_t index) {
  if (const auto entry = entry_of(index)) push(*entry);
}

void BestFirst::push_group(std::size_t index) {
  const RegridGroup& group = search_.regrid_groups()[index];
  if (!group.is_open) return;
  push({cost(search_.nodes(group), group.least_seconds), false, true, index});
}

std::optional<std::size_t> BestFirst::next() {
  while (true) {
    const std::vector<Search::Step> steps = take_unpriced();
    if (steps.empty()) break;
    const std::size_t first = search_.size();
    search_.refine(steps);
    for (const Search::Step& step : steps) {
      if (step.is_group) {
        push_group(step.index);
      } else {
        push_candidate(step.index);
      }
    }
    for (std::size_t i = first; i < search_.size(); ++i) push_candidate(i);
  }
  if (heap_.empty()) return std::nullopt;
  return pop().index;
}

/// Those before the first one that is priced, some at a time, whatever the number of processors.
std::vector<Search::Step> BestFirst::take_unpriced() {
  constexpr std::size_t at_a_time = 16;
  std::vector<Search::Step> steps;
  while (!heap_.empty() && steps.size() < at_a_time) {
    const Entry& entry = heap_.front();
    const bool is_possible = entry.is_group || search_[entry.index].is_possible();
    if (is_possible && entry.is_priced) break;
    const Entry taken = pop();
    if (is_possible) steps.push_back({taken.index, taken.is_group});
  }
  return steps;
}

BestFirst::Entry BestFirst::pop() {
  std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
  const Entry entry = heap_.back();
  heap_.pop_back();
  return entry;
}

}  // namespace tilewright
