#include "pattern_cells.hpp"

#include <array>

#include "tilewright/calibrate/message_shape.hpp"

namespace tilewright {
namespace {

/// Of the messages of patterns, beside the sizes that tell what blocks cost: start-ups dominate.
constexpr std::int64_t smallest_of_patterns = 1024;
constexpr std::array<Layout, 2> layouts{Layout::cc, Layout::nn};  // what an exchange consists of

/// Evenly over all, the first and the last among them, and in between rather the longer ones: the last may take too
/// long to be measured. A sample of all ranks takes some barriers, which are slow where processors are rationed.
std::vector<std::int64_t> some_of(const std::vector<std::int64_t>& sizes, int most) {
  const auto last = static_cast<std::int64_t>(sizes.size()) - 1;
  if (most < 2 || last < most) return sizes;
  std::vector<std::int64_t> some;
  const int gaps = most - 1;
  for (int i = 0; i < most; ++i) some.push_back(sizes[static_cast<std::size_t>((i * last + gaps - 1) / gaps)]);
  return some;
}

/// Of a shift or a swap.
std::vector<PathCell> cells_of(Path path, const PathEffort& effort) {
  const std::vector<std::int64_t> sizes = some_of(effort.sizes, effort.most_exchange_sizes);
  std::vector<PathCell> all;
  for (const Layout layout : layouts) {
    for (const PathCell& cell : row_cells(path, layout, sizes)) all.push_back(cell);
  }
  for (const PathCell& cell : row_cells(path, Layout::cc, sizes, Packing::blocked)) all.push_back(cell);
  for (const Packing packing : {Packing::datatype, Packing::manual}) {
    for (const std::int64_t bytes : effort.block_message_sizes) {
      for (const BlockShape& shape : measured_blocks(bytes, effort.block_growth)) {
        all.push_back({path, Layout::nn, shape.bytes, {}, packing, shape.block_bytes, shape.stride_bytes});
      }
    }
  }
  return all;
}

}  // namespace

std::vector<PathCell> exchange_cells(const PathEffort& effort, int ranks) {
  std::vector<PathCell> all = cells_of(Path::swap, effort);
  if (ranks < 3) return all;
  const std::vector<PathCell> shifts = cells_of(Path::shift, effort);
  all.insert(all.end(), shifts.begin(), shifts.end());
  return all;
}

std::vector<PathCell> pattern_cells(const PathEffort& effort) {
  std::vector<PathCell> all{{Path::barrier, Layout::cc, 0, {}}};
  for (const Path pattern : all_patterns) {
    all.push_back({pattern, Layout::cc, smallest_of_patterns, {}});
    for (const std::int64_t bytes : effort.block_message_sizes) all.push_back({pattern, Layout::cc, bytes, {}});
  }
  return all;
}

std::vector<PathCell> overlapped_cells(const PathEffort& effort, int ranks) {
  std::vector<PathCell> all;
  for (const std::int64_t bytes : effort.overlapped_sizes) {
    all.push_back({Path::exposed_swap, Layout::cc, bytes, {}, Packing::blocked});
    if (ranks >= 3) all.push_back({Path::exposed, Layout::cc, bytes, {}, Packing::blocked});
  }
  for (const std::int64_t bytes : effort.collected_sizes) {
    all.push_back({Path::collected, Layout::cc, bytes, {}, Packing::blocked});
  }
  return all;
}

}  // namespace tilewright
