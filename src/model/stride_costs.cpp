#include "tilewright/model/stride_costs.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "line.hpp"

namespace tilewright {
namespace {

bool is_near(const BlockShape& shape) {
  return shape.stride_bytes <= 2 * shape.block_bytes;
}

}  // namespace

BlockShape paper_blocks(std::int64_t bytes) {
  const std::int64_t block = std::max(value_bytes, bytes / default_blocks);
  return {bytes, block, 2 * block};
}

/// How far the stride is from two block lengths (0) on the way to one that is far (1).
double StrideCosts::far_share(const BlockShape& shape) const {
  const double near = 2 * static_cast<double>(shape.block_bytes);
  const auto stride = static_cast<double>(shape.stride_bytes);
  const auto far = static_cast<double>(far_stride_bytes_);
  if (near >= far || stride <= near) return 0;
  if (stride >= far) return 1;
  return std::log(stride / near) / std::log(far / near);
}

std::size_t StrideCosts::index_of(const Row& row) {
  const auto path_and_layout =
      static_cast<std::size_t>(row.path) * std::size(all_layouts) + static_cast<std::size_t>(row.layout);
  return path_and_layout * std::size(all_packings) + static_cast<std::size_t>(row.packing);
}

void StrideCosts::add(const Row& row, const BlockShape& shape, double extra_s) {
  if (shape.bytes <= 0 || shape.block_bytes <= 0) return;
  Sizes& sizes = rows_[index_of(row)];
  auto measured = std::lower_bound(sizes.begin(), sizes.end(), shape.bytes,
                                   [](const Strides& size, std::int64_t bytes) { return size.bytes < bytes; });
  if (measured == sizes.end() || measured->bytes != shape.bytes) {
    measured = sizes.insert(measured, {shape.bytes, {}, {}});
  }
  if (!is_near(shape)) far_stride_bytes_ = std::min(far_stride_bytes_, shape.stride_bytes);
  Curve& curve = is_near(shape) ? measured->near : measured->far;
  const Point point{1 / static_cast<double>(shape.block_bytes), extra_s / static_cast<double>(shape.bytes)};
  curve.insert(std::upper_bound(curve.begin(), curve.end(), point), point);
}

/// For shorter blocks than any of the curve's: no less than for its shortest.
double StrideCosts::beyond(const Curve& curve, double x) {
  const Point& last = curve.back();
  const auto before = std::find_if(curve.rbegin(), curve.rend(), [&](const Point& point) { return point.x < last.x; });
  if (before == curve.rend()) return last.seconds_a_byte;
  const double slope = (last.seconds_a_byte - before->seconds_a_byte) / (last.x - before->x);
  return last.seconds_a_byte + std::max(0.0, slope) * (x - last.x);
}

double StrideCosts::interpolated(const Curve& curve, double x) {
  const auto above = std::find_if(curve.begin(), curve.end(), [&](const Point& point) { return x <= point.x; });
  if (above == curve.begin()) return above->seconds_a_byte;
  if (above == curve.end()) return beyond(curve, x);
  const Point& low = *(above - 1);
  return std::lerp(low.seconds_a_byte, above->seconds_a_byte, (x - low.x) / (above->x - low.x));
}

double StrideCosts::seconds_a_byte(const Strides& measured, const Place& place) {
  if (measured.far.empty()) return interpolated(measured.near, place.blocks_a_byte);
  if (measured.near.empty() || place.far_share == 1) return interpolated(measured.far, place.blocks_a_byte);
  const double near = interpolated(measured.near, place.blocks_a_byte);
  if (place.far_share == 0) return near;
  return std::lerp(near, interpolated(measured.far, place.blocks_a_byte), place.far_share);
}

/// Which of two measured sizes a message is like where the protocol changes between them; none where it does not, and
/// between two changes.
std::optional<bool> StrideCosts::is_as_larger(Path path, const Strides& below, const Strides& above,
                                              std::int64_t bytes) const {
  const std::vector<std::int64_t>& all = switches_[static_cast<std::size_t>(path)];
  const auto first = std::upper_bound(all.begin(), all.end(), below.bytes);
  const auto end = std::upper_bound(first, all.end(), above.bytes);
  if (first != end && bytes < *first) return false;
  if (first != end && bytes >= *std::prev(end)) return true;
  return std::nullopt;
}

/// On the line through two measured sizes, between them and below.
double StrideCosts::on_line_through(const Strides& below, const Strides& above, const Place& place, double bytes) {
  const auto low = static_cast<double>(below.bytes), high = static_cast<double>(above.bytes);
  return on_line(bytes, low, low * seconds_a_byte(below, place), high, high * seconds_a_byte(above, place));
}

std::optional<double> StrideCosts::extra_seconds(const Row& row, const BlockShape& shape) const {
  const Sizes& sizes = sizes_of(row);
  if (sizes.empty()) return std::nullopt;
  if (shape.bytes <= 0 || shape.block_bytes <= 0) return 0;
  const Place place{1 / static_cast<double>(shape.block_bytes), far_share(shape)};
  const auto bytes = static_cast<double>(shape.bytes);
  const auto above = std::find_if(sizes.begin(), sizes.end(), [&](const Strides& s) { return s.bytes >= shape.bytes; });
  if (above == sizes.end()) return bytes * seconds_a_byte(sizes.back(), place);
  if (above == sizes.begin()) {
    const double in_proportion = bytes * seconds_a_byte(*above, place);
    const auto next = std::next(above);
    const bool is_alike = next != sizes.end() && !is_as_larger(row.path, *above, *next, above->bytes);
    return is_alike ? std::max(in_proportion, on_line_through(*above, *next, place, bytes)) : in_proportion;
  }
  const Strides& below = *std::prev(above);
  const auto is_larger = is_as_larger(row.path, below, *above, shape.bytes);
  if (!is_larger) return on_line_through(below, *above, place, bytes);
  return bytes * seconds_a_byte(*is_larger ? *above : below, place);
}

}  // namespace tilewright
