// A transfer as bulk-synchronous models see it.
#pragma once

#include <cstdint>
#include <vector>

#include "tilewright/transfers/schedule.hpp"

namespace tilewright {

/// What is sent between two barriers (Juurlink and Rieping, sections 2 and 4.2).
struct Superstep {
  std::int64_t bytes_of_a_rank = 0;     ///< h: the most that a rank sends, or receives
  std::int64_t messages_of_a_rank = 0;  ///< m: the most that a rank sends, or receives
  std::int64_t bytes = 0;               ///< V: of all ranks
  bool operator==(const Superstep&) const = default;
};

/// The rounds of a schedule in as few supersteps as their dependences allow: a rank that has received sends in the next
/// superstep only. So a flat tree is one, a binomial tree one a level, an exchange one a direction.
[[nodiscard]] std::vector<Superstep> supersteps(const Schedule& schedule);

}  // namespace tilewright
