#include "no_plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "file_parts.hpp"
#include "node_use.hpp"
#include "tilewright/core/units.hpp"

namespace tilewright {
namespace {

/// Of those that were refused for their memory, of equal ones the first; null if there is none.
const Candidate* least_hungry(const Search& search) {
  const Candidate* least = nullptr;
  for (std::size_t i = 0; i < search.size(); ++i) {
    const auto& bytes = search[i].least_node_bytes;
    if (bytes && (least == nullptr || *bytes < *least->least_node_bytes)) least = &search[i];
  }
  return least;
}

/// "3 ranks".
std::string counted(int number, std::string_view what) {
  return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
}

/// Files that the root reads or writes as a whole, each with the reason.
std::vector<std::string> files_of_the_root(const Pipeline& pipeline, const MachineProfile& profile,
                                           const SearchSpace& space) {
  std::vector<std::string> files;
  const auto add = [&](const std::string& file, const std::string& reason) {
    if (!reason.empty()) files.push_back(fmt::format("{}: {}", file, reason));
  };
  for (int i = 0; i < static_cast<int>(pipeline.images.size()); ++i) {
    const Source* source = pipeline.image(i).source.get();
    if (source == nullptr || source->is_resident() || source->tiled_on()) continue;
    add(source->describe(), why_not_in_parts(pipeline, i, profile, space));
  }
  for (int i = 0; i < static_cast<int>(pipeline.outputs.size()); ++i) {
    const PipelineOutput& output = pipeline.output(i);
    if (output.kind != OutputKind::write) continue;
    add(output.sink->describe(), why_not_written_in_parts(pipeline, i, profile, space));
  }
  return files;
}

/// What would make the plan possible that needs so much of a node.
std::vector<std::string> remedies(const Pipeline& pipeline, const MachineProfile& profile, const SearchSpace& space,
                                  std::int64_t bytes) {
  std::vector<std::string> all{space.ranks_per_node == 1 ? "start ranks on more nodes"
                                                         : "start ranks on more nodes, or fewer on each"};
  if (space.ranks || space.grid) all.emplace_back("leave ranks and grid to the plan");
  const std::vector<std::string> files = files_of_the_root(pipeline, profile, space);
  if (space.max_ranks > 1 && !files.empty()) {
    all.push_back(fmt::format("let ranks read and write files in parts ({})", fmt::join(files, "; ")));
  }
  all.push_back(fmt::format("allow as much with --tw-memory={}", bytes));
  return all;
}

/// Between them images may change the grid.
bool has_operators_in_a_row(const Pipeline& pipeline) {
  const auto is_made = [&](int image) { return pipeline.image(image).op != nullptr; };
  return std::any_of(pipeline.images.begin(), pipeline.images.end(), [&](const PipelineImage& image) {
    return image.op && std::any_of(image.inputs.begin(), image.inputs.end(), is_made);
  });
}

}  // namespace

std::string why_no_plan(const Pipeline& pipeline, const MachineProfile& profile, const SearchSpace& space,
                        const Search& search) {
  if (const Candidate* least = least_hungry(search)) {
    const std::int64_t bytes = *least->least_node_bytes;
    const ProcessGrid& grid = least->configuration.grid;
    return fmt::format("a node has {}, but the plan found to need least takes {} of one, on the grid {} ({} on {}): {}",
                       format_bytes(space.node_memory), format_bytes(bytes), to_string(grid),
                       counted(grid.ranks(), "rank"), counted(search.nodes(*least), "node"),
                       fmt::join(remedies(pipeline, profile, space, bytes), ", or "));
  }
  if (space.regrid != Regrid::always) return search[0].infeasible;
  if (!has_operators_in_a_row(pipeline)) {
    return "a change of grid is forced, but no operator reads what another one has made, all in one segment: there is "
           "nothing to change it between, do not force it";
  }
  return fmt::format(
      "a change of grid is forced, but no two grids of the same number of ranks, up to {}, can hold the images and "
      "what the operators need: start more ranks, or do not force it",
      space.max_ranks);
}

}  // namespace tilewright
