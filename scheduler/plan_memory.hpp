// What a plan's steps hold in memory: when pixels are let go, and the most that a rank holds at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "tilewright/model/plan.hpp"
#include "tilewright/pipeline/pipeline.hpp"

namespace tilewright {

/// Sets the releases of every step: tiles and whole images go after the last step that uses them; what the program
/// fetches or keeps stays.
void add_releases(Plan& plan, const Pipeline& pipeline);

/// By rank, the most bytes held at a time while the plan runs: rasters, forwarded data, and the scratch of operators,
/// sources and sinks. What the runtime's accountant counts.
[[nodiscard]] std::vector<std::int64_t> peak_bytes(const Plan& plan, const Pipeline& pipeline);

/// True if that whole image is computed from inputs without room for the border, as whole images are kept where they
/// are moved, and as memory lends them: the strips along the edges are then computed from copies (edges_of()).
[[nodiscard]] bool needs_edges(const Pipeline& pipeline, int result, int ranks);

/// What a rank needs beside images to compute all of that one with so many threads, in a plan of so many ranks.
[[nodiscard]] std::int64_t whole_scratch_bytes(const Pipeline& pipeline, int result, int threads, int ranks);

}  // namespace tilewright
