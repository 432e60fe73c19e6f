#include "tilewright/calibrate/message_shape.hpp"

#include <algorithm>
#include <set>

#include "places.hpp"

namespace tilewright {

std::int64_t values_sent(Layout layout, std::int64_t values) {
  if (layout == Layout::cc || values < default_blocks) return values;
  return values / default_blocks * default_blocks;
}

std::vector<PathCell> row_cells(Path path, Layout layout, const std::vector<std::int64_t>& sizes, Packing packing) {
  std::set<std::int64_t> sent = {0};
  for (const std::int64_t values : sizes) sent.insert(values_sent(layout, values));
  std::vector<PathCell> cells;
  for (const std::int64_t values : sent) cells.push_back({path, layout, values * value_bytes, {}, packing});
  return cells;
}

MessageShape contiguous_shape(std::int64_t sent) {
  return {1, sent * value_bytes, sent * value_bytes};
}

MessageShape strided_shape(std::int64_t sent) {
  if (sent == 0) return {default_blocks, 0, 2 * value_bytes};
  const std::int64_t rows = sent < default_blocks ? sent : default_blocks;
  const std::int64_t row_bytes = sent / rows * value_bytes;
  return {rows, row_bytes, 2 * row_bytes};
}

namespace {

constexpr std::int64_t longest_block_values = 4096;
/// Farther apart than what a processor reads ahead, and not a whole number of lines, which few images have; and on
/// pages of their own.
constexpr std::int64_t stride_over_lines = 604;
constexpr std::int64_t stride_over_pages = 12028;
/// From one length to the next: with more, what pages cost is left out as well.
constexpr std::int64_t finest_growth = 4;
constexpr std::int64_t longest_extent = std::int64_t{16} << 20;

MessageShape shape_of(const PathCell& cell, bool contiguous) {
  if (cell.has_paper_blocks()) {
    const std::int64_t sent = cell.bytes / value_bytes;
    return contiguous ? contiguous_shape(sent) : strided_shape(sent);
  }
  const std::int64_t rows = cell.bytes / cell.block_bytes;
  return {rows, cell.block_bytes, contiguous ? cell.block_bytes : cell.stride_bytes};
}

}  // namespace

MessageShape sender_shape(const PathCell& cell) {
  return shape_of(cell, sender_contiguous(cell.layout));
}

MessageShape receiver_shape(const PathCell& cell) {
  return shape_of(cell, receiver_contiguous(cell.layout));
}

std::vector<BlockShape> measured_blocks(std::int64_t bytes, std::int64_t growth) {
  std::vector<BlockShape> shapes;
  for (std::int64_t values = 1;; values = std::min(growth * values + 1, longest_block_values)) {
    const std::int64_t block = values * value_bytes;
    const std::int64_t blocks = bytes / block;
    if (blocks < 2) break;
    for (const std::int64_t stride : {2 * block, stride_over_lines, stride_over_pages}) {
      const bool is_fine_enough = growth <= finest_growth || stride != stride_over_pages;
      const bool is_apart = stride == 2 * block || stride > 2 * block + line_bytes;
      if (is_fine_enough && is_apart && blocks * stride <= longest_extent)
        shapes.push_back({blocks * block, block, stride});
    }
    if (values == longest_block_values) break;
  }
  return shapes;
}

}  // namespace tilewright
