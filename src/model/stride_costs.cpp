#include "tilewright/model/stride_costs.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "line.hpp"
#include "tilewright/core/statistics.hpp"

namespace tilewright {
namespace {

/// Blocks closer together than this lie in lines that a processor fetches in advance: the fewer of them it needs, the
/// less it waits. Farther apart each is waited for, and what its page costs comes slowly.
constexpr double read_ahead_bytes = 256;
constexpr double slowly = 0.2;
/// Messages whose sizes differ by less are measured as one size, in whole numbers of blocks.
constexpr double within_size = 1.125;

/// Where a stride is on the axis on which costs are on a line.
double position(std::int64_t stride_bytes) {
  const auto stride = static_cast<double>(stride_bytes);
  if (stride <= read_ahead_bytes) return stride;
  return read_ahead_bytes * (1 + slowly * std::log(stride / read_ahead_bytes));
}

bool is_near(const BlockShape& shape) {
  return shape.stride_bytes <= 2 * shape.block_bytes;
}

}  // namespace

BlockShape paper_blocks(std::int64_t bytes) {
  const std::int64_t block = std::max(value_bytes, bytes / default_blocks);
  return {bytes, block, 2 * block};
}

std::size_t StrideCosts::index_of(const Row& row) {
  const auto path_and_layout =
      static_cast<std::size_t>(row.path) * std::size(all_layouts) + static_cast<std::size_t>(row.layout);
  return path_and_layout * std::size(all_packings) + static_cast<std::size_t>(row.packing);
}

void StrideCosts::add(const Row& row, const BlockShape& shape, double seconds) {
  if (shape.bytes <= 0 || shape.block_bytes <= 0) return;
  Sizes& sizes = rows_[index_of(row)];
  const auto bytes = static_cast<double>(shape.bytes);
  auto size = std::ranges::find_if(
      sizes, [&](const Size& known) { return bytes <= within_size * static_cast<double>(known.bytes); });
  if (size == sizes.end() || static_cast<double>(size->bytes) > within_size * bytes) {
    size = sizes.insert(size, {shape.bytes, {}});
  }
  const std::int64_t stride = is_near(shape) ? two_lengths : shape.stride_bytes;
  auto curve = std::ranges::lower_bound(size->curves, stride, {}, &Curve::stride_bytes);
  if (curve == size->curves.end() || curve->stride_bytes != stride) curve = size->curves.insert(curve, {stride, {}});
  const Point point{1 / static_cast<double>(shape.block_bytes), seconds / bytes};
  curve->points.insert(std::ranges::upper_bound(curve->points, point), point);
}

/// For shorter blocks than any of the curve's: no less than for its shortest.
double StrideCosts::beyond(const Curve& curve, double x) {
  const std::vector<Point>& points = curve.points;
  const Point& last = points.back();
  const auto before =
      std::find_if(points.rbegin(), points.rend(), [&](const Point& point) { return point.x < last.x; });
  if (before == points.rend()) return last.seconds_a_byte;
  const double slope = (last.seconds_a_byte - before->seconds_a_byte) / (last.x - before->x);
  return last.seconds_a_byte + std::max(0.0, slope) * (x - last.x);
}

double StrideCosts::at(const Curve& curve, double x) {
  const std::vector<Point>& points = curve.points;
  const auto above = std::ranges::find_if(points, [&](const Point& point) { return x <= point.x; });
  if (above == points.begin()) return above->seconds_a_byte;
  if (above == points.end()) return beyond(curve, x);
  const Point& low = *(above - 1);
  return std::lerp(low.seconds_a_byte, above->seconds_a_byte, (x - low.x) / (above->x - low.x));
}

/// Blocks half as long as the stride are two lengths apart: towards them a stride's curve goes on to that of two
/// lengths.
double StrideCosts::at(const Size& size, const Curve& curve, double x) {
  const Point& longest = curve.points.front();
  const double half_as_long =
      curve.stride_bytes == two_lengths ? longest.x : 2 / static_cast<double>(curve.stride_bytes);
  const Curve* near = x < longest.x && half_as_long < longest.x ? curve_of(size, two_lengths, half_as_long) : nullptr;
  if (near == nullptr) return at(curve, x);
  return on_line(std::max(x, half_as_long), half_as_long, at(*near, half_as_long), longest.x, longest.seconds_a_byte);
}

/// Null if blocks so short were not measured at that stride; of ones that are shorter than any at that size the
/// shortest tell.
const StrideCosts::Curve* StrideCosts::curve_of(const Size& size, std::int64_t stride_bytes, double x) {
  const Curve* found = nullptr;
  double shortest = 0;
  for (const Curve& curve : size.curves) {
    shortest = std::max(shortest, curve.points.back().x);
    if (curve.stride_bytes == stride_bytes) found = &curve;
  }
  return found != nullptr && std::min(x, shortest) <= found->points.back().x ? found : nullptr;
}

/// What blocks at that stride cost a byte. None if blocks so short were measured neither at that size nor at a smaller
/// one.
std::optional<double> StrideCosts::at_stride(const Sizes& sizes, Measured size, std::int64_t stride_bytes, double x) {
  if (const Curve* curve = curve_of(*size, stride_bytes, x)) return at(*size, *curve, x);
  const Curve* near = curve_of(*size, two_lengths, x);
  for (Measured smaller = size; near != nullptr && smaller != sizes.begin();) {
    --smaller;
    const Curve* far_there = curve_of(*smaller, stride_bytes, x);
    const Curve* near_there = curve_of(*smaller, two_lengths, x);
    if (far_there != nullptr && near_there != nullptr)
      return at(*near, x) + at(*smaller, *far_there, x) - at(*near_there, x);
  }
  return std::nullopt;
}

double StrideCosts::seconds_a_byte(const Sizes& sizes, Measured size, const Blocks& blocks) {
  const double wanted_at = position(blocks.stride_bytes);
  std::optional<PointOnLine> closer;
  for (const Curve& curve : size->curves) {
    const bool is_near = curve.stride_bytes == two_lengths;
    if (!is_near && curve.stride_bytes <= blocks.two_lengths_bytes && closer) continue;
    const auto seconds = at_stride(sizes, size, curve.stride_bytes, blocks.a_byte);
    if (!seconds) continue;
    const PointOnLine here{position(is_near ? blocks.two_lengths_bytes : curve.stride_bytes), *seconds};
    if (here.at >= wanted_at) {
      if (!closer || closer->at >= here.at) return here.value;
      return on_line(wanted_at, closer->at, closer->value, here.at, here.value);
    }
    closer = here;
  }
  return closer->value;  // the shortest blocks of all are in some curve
}

/// Which of two measured sizes a message is like where the protocol changes between them; none where it does not, and
/// between two changes.
std::optional<bool> StrideCosts::is_as_larger(Path path, const Size& below, const Size& above,
                                              std::int64_t bytes) const {
  const std::vector<std::int64_t>& all = switches_[static_cast<std::size_t>(path)];
  const auto first = std::upper_bound(all.begin(), all.end(), below.bytes);
  const auto end = std::upper_bound(first, all.end(), above.bytes);
  if (first != end && bytes < *first) return false;
  if (first != end && bytes >= *std::prev(end)) return true;
  return std::nullopt;
}

bool StrideCosts::are_alike(Path path, const Size& below, const Size& above) const {
  return !is_as_larger(path, below, above, below.bytes);
}

/// On the line through two measured sizes, of which this is the smaller one.
double StrideCosts::seconds_on_line(const Sizes& sizes, Measured below, const Blocks& blocks, double bytes) {
  const Measured above = std::next(below);
  const auto low = static_cast<double>(below->bytes), high = static_cast<double>(above->bytes);
  return on_line(bytes, low, low * seconds_a_byte(sizes, below, blocks), high,
                 high * seconds_a_byte(sizes, above, blocks));
}

std::int64_t StrideCosts::longest_bytes(const Row& row) const {
  const Sizes& sizes = sizes_of(row);
  return sizes.empty() ? 0 : sizes.back().bytes;
}

std::optional<double> StrideCosts::seconds(const Row& row, const BlockShape& shape) const {
  const Sizes& sizes = sizes_of(row);
  if (sizes.empty()) return std::nullopt;
  if (shape.bytes <= 0 || shape.block_bytes <= 0) return 0;
  const Blocks blocks{1 / static_cast<double>(shape.block_bytes), shape.stride_bytes, 2 * shape.block_bytes};
  const auto bytes = static_cast<double>(shape.bytes);
  const auto in_proportion = [&](Measured size) { return bytes * seconds_a_byte(sizes, size, blocks); };
  const auto on_line_from = [&](Measured below) { return seconds_on_line(sizes, below, blocks, bytes); };
  const Measured above = std::ranges::find_if(sizes, [&](const Size& size) { return size.bytes >= shape.bytes; });
  if (above == sizes.end()) return in_proportion(std::prev(above));
  const Measured next = std::next(above);
  const bool has_next = next != sizes.end() && are_alike(row.path, *above, *next);
  if (above == sizes.begin()) {
    const double least = in_proportion(above);
    return has_next ? std::max(least, on_line_from(above)) : least;
  }
  const Measured below = std::prev(above);
  const auto is_larger = is_as_larger(row.path, *below, *above, shape.bytes);
  if (!is_larger) return on_line_from(below);
  if (*is_larger) return has_next ? on_line_from(above) : in_proportion(above);
  const bool has_previous = below != sizes.begin() && are_alike(row.path, *std::prev(below), *below);
  return has_previous ? on_line_from(std::prev(below)) : in_proportion(below);
}

}  // namespace tilewright
