// Why there is no plan, and what would make one possible.
#pragma once

#include <string>

#include "search.hpp"

namespace tilewright {

/// Of a search all of whose candidates were refused. Where some were refused for their memory: which of them needs
/// least, how much that is, and what would help.
[[nodiscard]] std::string why_no_plan(const Pipeline& pipeline, const MachineProfile& profile, const SearchSpace& space,
                                      const Search& search);

}  // namespace tilewright
