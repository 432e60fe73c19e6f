#include "tilewright/model/stride_costs.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace tilewright {
namespace {

bool is_near(const BlockShape& shape) {
  return shape.stride_bytes <= 2 * shape.block_bytes;
}

/// How far the stride is from two block lengths (0) on the way to a page (1).
double far_share(const BlockShape& shape) {
  const double near = 2 * static_cast<double>(shape.block_bytes);
  if (near >= far_stride_bytes) return 0;
  const double stride = static_cast<double>(shape.stride_bytes);
  return std::clamp(std::log(stride / near) / std::log(far_stride_bytes / near), 0.0, 1.0);
}

}  // namespace

BlockShape paper_blocks(std::int64_t bytes) {
  const std::int64_t block = std::max(value_bytes, bytes / default_blocks);
  return {bytes, block, 2 * block};
}

void StrideCosts::add(const Row& row, const BlockShape& shape, double extra_s) {
  if (shape.bytes <= 0 || shape.block_bytes <= 0) return;
  Strides& measured = rows_[row][shape.bytes];
  measured.log_bytes = std::log(static_cast<double>(shape.bytes));
  Curve& curve = is_near(shape) ? measured.near : measured.far;
  const Point point{1 / static_cast<double>(shape.block_bytes), extra_s / static_cast<double>(shape.bytes)};
  curve.insert(std::upper_bound(curve.begin(), curve.end(), point), point);
}

double StrideCosts::interpolated(const Curve& curve, double x) {
  const auto above = std::find_if(curve.begin(), curve.end(), [&](const Point& point) { return x <= point.x; });
  if (above == curve.begin()) return above->seconds_a_byte;
  const Point& low = *(above - 1);
  if (above == curve.end()) return low.seconds_a_byte;
  return std::lerp(low.seconds_a_byte, above->seconds_a_byte, (x - low.x) / (above->x - low.x));
}

double StrideCosts::seconds_a_byte(const Strides& measured, const BlockShape& shape) {
  const double blocks_a_byte = 1 / static_cast<double>(shape.block_bytes);
  if (measured.far.empty()) return interpolated(measured.near, blocks_a_byte);
  const double far = interpolated(measured.far, blocks_a_byte);
  if (measured.near.empty()) return far;
  return std::lerp(interpolated(measured.near, blocks_a_byte), far, far_share(shape));
}

std::optional<double> StrideCosts::extra_seconds(const Row& row, const BlockShape& shape) const {
  const auto found = rows_.find(row);
  if (found == rows_.end()) return std::nullopt;
  if (shape.bytes <= 0 || shape.block_bytes <= 0) return 0;
  const auto bytes = static_cast<double>(shape.bytes);
  const auto above = found->second.lower_bound(shape.bytes);
  if (above == found->second.begin()) return bytes * seconds_a_byte(above->second, shape);
  const auto below = std::prev(above);
  const double at_below = seconds_a_byte(below->second, shape);
  if (above == found->second.end()) return bytes * at_below;
  const double low = below->second.log_bytes;
  const double share = (std::log(bytes) - low) / (above->second.log_bytes - low);
  return bytes * std::lerp(at_below, seconds_a_byte(above->second, shape), share);
}

}  // namespace tilewright
