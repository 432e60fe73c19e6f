// The configurations that were not chosen, and why.
#pragma once

#include "search.hpp"

namespace tilewright {

/// Adds all configurations but the chosen one, the fastest of them priced in full. Of pairs of grids, which are many,
/// those that were priced, and the nearest one of the chosen number of ranks.
void add_alternatives(Plan& plan, const SearchSpace& space, Search& search, std::size_t chosen);

}  // namespace tilewright
