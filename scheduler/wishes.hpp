// Time, node-hours, and how many of these may be spent.
#pragma once

#include "best_first.hpp"

namespace tilewright {

/// What a plan on so many ranks spends.
[[nodiscard]] double node_hours_of(const Configuration& configuration, double seconds, const SearchSpace& space);
/// What the best plan has least of; nothing for its time. Refers to the space.
[[nodiscard]] CostOfSeconds cost_of_seconds(const SearchSpace& space);
/// By its time, or by a bound of it.
[[nodiscard]] bool takes_too_many_node_hours(const Candidate& candidate, const SearchSpace& space);
/// Refuses the candidate if its node-hours may not be spent; whether it did.
bool refuse_beyond_budget(Search& search, std::size_t index, const SearchSpace& space);
/// Whether the faster one is the better one.
[[nodiscard]] bool are_comparable(const Candidate& a, const Candidate& b, const SearchSpace& space);

}  // namespace tilewright
