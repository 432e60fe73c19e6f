#include "tilewright/calibrate/message_shape.hpp"

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
/// As far as some processors read ahead, and farther than any does; neither a whole number of lines, which few images
/// have. And on pages of their own.
constexpr std::int64_t stride_of_reading_ahead = 300;
constexpr std::int64_t stride_over_lines = 604;
constexpr std::int64_t stride_over_pages = 12028;
/// Shorter messages are latency above all.
constexpr std::int64_t shortest_with_all_strides = 16 << 10;
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

namespace {

/// In values, ascending.
std::vector<std::int64_t> measured_lengths(std::int64_t growth) {
  std::vector<std::int64_t> lengths;
  for (std::int64_t values = 1; values < longest_block_values; values = growth * values + 1) lengths.push_back(values);
  lengths.push_back(longest_block_values);
  return lengths;
}

/// For blocks of that many bytes.
std::vector<std::int64_t> measured_strides(std::int64_t bytes, std::int64_t block, std::int64_t growth) {
  std::vector<std::int64_t> strides{2 * block, stride_over_lines};
  if (growth <= finest_growth) strides.push_back(stride_over_pages);
  if (growth <= finest_growth && bytes >= shortest_with_all_strides) strides.push_back(stride_of_reading_ahead);
  std::erase_if(strides, [&](std::int64_t stride) { return stride != 2 * block && stride <= 2 * block + line_bytes; });
  return strides;
}

}  // namespace

std::vector<BlockShape> measured_blocks(std::int64_t bytes, std::int64_t growth) {
  std::vector<BlockShape> shapes;
  for (const std::int64_t values : measured_lengths(growth)) {
    const std::int64_t block = values * value_bytes;
    const std::int64_t blocks = bytes / block;
    for (const std::int64_t stride : measured_strides(bytes, block, growth)) {
      if (blocks > 1 && blocks * stride <= longest_extent) shapes.push_back({blocks * block, block, stride});
    }
  }
  return shapes;
}

}  // namespace tilewright
