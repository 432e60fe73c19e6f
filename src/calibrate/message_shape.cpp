#include "tilewright/calibrate/message_shape.hpp"

#include <set>

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

constexpr std::int64_t longest_block = 16 * 1024;
/// Of blocks that share no line of the cache, and not a whole number of lines, which few images have.
constexpr std::int64_t far_stride = 1004;
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
  for (std::int64_t block = value_bytes; block <= longest_block && block < bytes; block *= growth) {
    shapes.push_back({bytes, block, 2 * block});
    const bool fits = bytes / block * far_stride <= longest_extent;
    if (2 * block < far_stride && fits) shapes.push_back({bytes, block, far_stride});
  }
  return shapes;
}

}  // namespace tilewright
