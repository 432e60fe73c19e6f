#include "space_check.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "file_parts.hpp"
#include "node_use.hpp"
#include "sharing.hpp"
#include "tilewright/core/error.hpp"

namespace tilewright {
namespace {

void check_numbers(const SearchSpace& space) {
  if (space.threads && *space.threads < 1)
    throw ParameterError(fmt::format("{} threads: at least 1 is needed", *space.threads));
  if (space.ranks_per_node < 1) {
    throw ParameterError(fmt::format("{} ranks a node: at least 1 is needed", space.ranks_per_node));
  }
  if (space.min_ranks < 1 || space.max_ranks < space.min_ranks) {
    throw ParameterError(
        fmt::format("ranks {}..{}: give at least 1, the smaller first", space.min_ranks, space.max_ranks));
  }
  if (space.max_ranks > most_planned_ranks) {
    throw ParameterError(
        fmt::format("{} ranks: plans are made for {} at most, so ask for fewer", space.max_ranks, most_planned_ranks));
  }
  if (space.ranks && (*space.ranks < 1 || *space.ranks > space.max_ranks)) {
    throw ParameterError(fmt::format("{} ranks are forced, but 1 to {} are available: start more ranks, or force fewer",
                                     *space.ranks, space.max_ranks));
  }
  if (space.grid && space.grid->x * space.grid->y > space.max_ranks) {
    throw ParameterError(
        fmt::format("grid {} needs {} ranks, but {} are available: start more ranks, or force a "
                    "smaller grid",
                    to_string(*space.grid), space.grid->x * space.grid->y, space.max_ranks));
  }
}

/// Throws ParameterError if transfers through shared memory are forced where there can be none.
void check_sharing(const MachineProfile& profile, const SearchSpace& space) {
  if (space.tree != Algorithm::shared) return;
  const int of_grid = space.grid ? space.grid->x * space.grid->y : 0;
  ProcessGrid ranks{1, std::max(space.ranks.value_or(1), of_grid)};
  if (space.grid) ranks.mapping.ranks = space.grid->mapping.ranks;
  const std::string reason = why_not_shared(profile, space, ranks);
  if (!reason.empty()) throw ParameterError("transfers through shared memory are forced, but " + reason);
}

/// Throws ParameterError if files are to be read and written in parallel, and none can be.
void check_files(const Pipeline& pipeline, const MachineProfile& profile, const SearchSpace& space) {
  if (space.files != FileAccess::parallel) return;
  std::string reasons;
  for (int i = 0; i < static_cast<int>(pipeline.images.size()); ++i) {
    const Source* source = pipeline.image(i).source.get();
    if (source == nullptr || source->is_resident()) continue;
    const std::string reason = why_not_in_parts(pipeline, i, profile, space);
    if (reason.empty()) return;
    reasons += fmt::format("{}{}: {}", reasons.empty() ? "" : "; ", source->describe(), reason);
  }
  for (int i = 0; i < static_cast<int>(pipeline.outputs.size()); ++i) {
    const PipelineOutput& output = pipeline.output(i);
    if (output.kind != OutputKind::write) continue;
    const std::string reason = why_not_written_in_parts(pipeline, i, profile, space);
    if (reason.empty()) return;
    reasons += fmt::format("{}{}: {}", reasons.empty() ? "" : "; ", output.sink->describe(), reason);
  }
  if (!reasons.empty()) throw ParameterError("parallel access to files is forced, but cannot be had: " + reasons);
}

/// Throws ParameterError if unequal tiles are forced where nothing tells how unequal, or where they are of no use.
void check_tiles(const SearchSpace& space) {
  if (space.tiles == TileSizes::less_on_root && !space.in_turn.value_or(true)) {
    throw ParameterError("less on the root pays where it feeds the others in turn: do not forbid that beside it");
  }
  if (!space.tiles || space.tiles == TileSizes::even) return;
  if (space.grid && space.grid->has_shares()) {
    throw ParameterError(fmt::format("grid {} says how large tiles are: do not force them to be {}",
                                     to_string(*space.grid),
                                     space.tiles == TileSizes::by_speed ? "by speed" : "less on the root"));
  }
  if (space.tiles == TileSizes::by_speed && space.rank_speeds.empty()) {
    throw ParameterError(
        "tiles by speed are forced, but the profile knows of no node that is faster than others: calibrate on all "
        "nodes, or force the grid with its shares, as in 1x4[2:2:1:1]");
  }
}

}  // namespace

void check_space(const Pipeline& pipeline, const MachineProfile& profile, const SearchSpace& space) {
  check_numbers(space);
  if (!profile.has_operators()) {
    throw ParameterError(
        fmt::format("machine '{}' has no operator costs: take them from another machine with "
                    "--operators-from, or calibrate this one",
                    profile.name()));
  }
  check_tiles(space);
  check_mapping(space);
  check_sharing(profile, space);
  check_files(pipeline, profile, space);
}

}  // namespace tilewright
