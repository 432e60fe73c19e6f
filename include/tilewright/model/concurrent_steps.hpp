// Which steps of a plan are done at the same time, and the memory that they take then: as it is planned and as it runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tilewright/model/plan.hpp"

namespace tilewright {

/// How many steps are begun together with that one, itself counted. With several threads a rank, writes that follow
/// each other are, unless one replaces what another has stored; every other step is done alone.
[[nodiscard]] std::size_t steps_together(const Plan& plan, std::size_t first);

/// The most bytes of those that so many threads can take at a time, one step each.
[[nodiscard]] std::int64_t bytes_together(std::vector<std::int64_t> bytes_of_steps, int threads);

}  // namespace tilewright
