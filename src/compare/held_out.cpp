#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <random>
#include <set>

#include "tilewright/compare/measurements.hpp"
#include "tilewright/model/cell_names.hpp"

namespace tilewright {
namespace {

constexpr double smallest_bytes = 64;
constexpr double largest_bytes = 2 << 20;
constexpr std::int64_t largest_block_values = 4096;
constexpr std::int64_t largest_stride = 16 << 10;
/// The memory that a message may reach over, as in a calibration.
constexpr std::int64_t largest_extent = 16 << 20;

/// Reproducible on every machine: the distributions of the standard library are not.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}
  /// 0 to 1.
  double share() { return static_cast<double>(engine_() >> 11) * 0x1.0p-53; }
  double log_uniform(double low, double high) { return low * std::pow(high / low, share()); }

 private:
  std::mt19937_64 engine_;
};

std::int64_t whole_values(double bytes) {
  return std::max<std::int64_t>(value_bytes, std::llround(bytes / value_bytes) * value_bytes);
}

/// In the paper's 100 blocks if it is strided.
PathCell with_paper_blocks(Path path, Layout layout, Dice& dice) {
  const std::int64_t unit = layout == Layout::cc ? value_bytes : default_blocks * value_bytes;
  const double bytes = dice.log_uniform(std::max(smallest_bytes, static_cast<double>(unit)), largest_bytes);
  return {path, layout, std::max<std::int64_t>(1, std::llround(bytes / static_cast<double>(unit))) * unit, {}};
}

PathCell with_blocks(Path path, Layout layout, Packing packing, Dice& dice) {
  const auto values = std::llround(dice.log_uniform(1, largest_block_values));
  const std::int64_t block = values * value_bytes;
  const double nearest = 2.0 * static_cast<double>(block);
  const std::int64_t stride =
      nearest >= largest_stride ? 2 * block : whole_values(dice.log_uniform(nearest, largest_stride));
  const double longest = std::min(largest_bytes, static_cast<double>(largest_extent / stride * block));
  const double bytes = dice.log_uniform(std::min(longest, std::max<double>(smallest_bytes, nearest)), longest);
  const std::int64_t blocks = std::max<std::int64_t>(2, std::llround(bytes / static_cast<double>(block)));
  return {path, layout, blocks * block, {}, packing, block, stride};
}

}  // namespace

std::vector<PathCell> held_out_messages(const MachineProfile& profile, int count, std::uint64_t seed) {
  std::set<std::int64_t> known;
  for (const PathCell& cell : profile.paths()) {
    if (!cell.within_node) known.insert(cell.bytes);
  }
  std::set<std::string> names;
  std::vector<PathCell> cells;
  Dice dice(seed);
  while (static_cast<int>(cells.size()) < count) {
    const auto i = cells.size();
    const Path path = all_paths[i / 2 % std::size(all_paths)];
    const bool is_of_paper = i % 2 == 0;
    const Layout layout = is_of_paper ? all_layouts[i / 6 % 4] : all_layouts[1 + i / 6 % 3];
    const PathCell cell =
        is_of_paper ? with_paper_blocks(path, layout, dice) : with_blocks(path, layout, all_packings[i / 18 % 3], dice);
    if (!known.contains(cell.bytes) && names.insert(cell_name(cell)).second) cells.push_back(cell);
  }
  return cells;
}

std::vector<PathCell> known_messages(const MachineProfile& profile, int count, std::uint64_t seed) {
  std::vector<PathCell> cells;
  for (const PathCell& cell : profile.paths()) {
    if (is_of_two_ranks(cell.path) && cell.bytes > 0 && !cell.within_node && cell.time.samples > 0)
      cells.push_back(cell);
  }
  Dice dice(seed);
  std::vector<PathCell> some;
  while (!cells.empty() && std::ssize(some) < count) {
    const auto i = static_cast<std::ptrdiff_t>(dice.share() * static_cast<double>(cells.size()));
    some.push_back(cells[static_cast<std::size_t>(i)]);
    cells.erase(cells.begin() + i);
  }
  return some;
}

std::string note_on_nodes(const Fingerprint& calibrated, int nodes) {
  if (calibrated.nodes == 0 || calibrated.nodes == nodes) return {};
  return fmt::format(
      "the profile was calibrated on {} node{}, and this is {}: short messages among other nodes are other messages",
      calibrated.nodes, calibrated.nodes == 1 ? "" : "s", nodes);
}

NodeMapping mapping_of(const Communicator& communicator) {
  const bool is_shared = communicator.nodes() > 1 && communicator.ranks_per_node() > 1;
  return is_shared && communicator.has_even_nodes() ? NodeMapping{communicator.ranks_per_node()} : NodeMapping{};
}

std::string note_on_uneven_nodes(const Communicator& communicator) {
  if (communicator.nodes() == 1 || communicator.has_even_nodes()) return {};
  return "nodes have unlike numbers of ranks: transfers are priced as if all their messages went between nodes, which "
         "some do not; start as many ranks on each node to compare them";
}

std::vector<TransferSpec> transfers_to_compare(int ranks, const NodeMapping& mapping) {
  std::vector<TransferSpec> specs;
  for (const Extent extent : {Extent{256, 256}, Extent{1024, 256}}) {
    const ImageShape image{extent, {PixelType::f32, 1}};
    for (const Algorithm tree : all_trees) {
      specs.push_back({TransferKind::broadcast, tree, {1, ranks, {}, {}, mapping}, image});
    }
    for (ProcessGrid grid : grids_of(ranks)) {
      grid.mapping = mapping;
      for (const Packing packing : all_packings) {
        for (const TransferKind kind : {TransferKind::scatter, TransferKind::gather}) {
          for (const Algorithm tree : all_trees) {
            TransferSpec spec{kind, tree, grid, image};
            spec.packing = packing;
            specs.push_back(spec);
          }
        }
        const Halo halo{9, 9};
        if (!why_infeasible(extent, grid, halo).empty()) continue;
        TransferSpec spec{TransferKind::exchange, std::nullopt, grid, image, halo, halo};
        spec.packing = packing;
        specs.push_back(spec);
      }
    }
  }
  return specs;
}

}  // namespace tilewright
