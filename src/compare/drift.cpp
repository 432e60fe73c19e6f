#include "drift.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "tilewright/core/statistics.hpp"
#include "tilewright/model/cell_names.hpp"

namespace tilewright {
namespace {

/// So many tell the factor of a size: of fewer, one that was disturbed would.
constexpr std::size_t neighbours = 7;
constexpr std::size_t fewest_alike = 3;

bool is_packed_by_library(const PathCell& cell) {
  return cell.layout != Layout::cc && cell.packing == Packing::datatype;
}

double median_factor(const auto& begin, const auto& end) {
  std::vector<double> factors;
  for (auto point = begin; point != end; ++point) factors.push_back(point->factor);
  return median(factors);
}

}  // namespace

MessageDrift::MessageDrift(const MachineProfile& profile, const std::vector<MeasuredMessage>& known) {
  for (const MeasuredMessage& message : known) {
    const std::string name = cell_name(message.cell);
    const auto then = std::find_if(profile.paths().begin(), profile.paths().end(),
                                   [&](const PathCell& cell) { return cell_name(cell) == name; });
    if (then == profile.paths().end() || !(then->time.seconds > 0) || message.cell.bytes <= 0) continue;
    points_.push_back({std::log(static_cast<double>(message.cell.bytes)), is_packed_by_library(message.cell),
                       message.cell.time.seconds / then->time.seconds});
  }
}

double MessageDrift::factor(const PathCell& cell) const {
  const double log_bytes = std::log(static_cast<double>(std::max<std::int64_t>(1, cell.bytes)));
  std::vector<Point> nearest;
  std::copy_if(points_.begin(), points_.end(), std::back_inserter(nearest),
               [&](const Point& point) { return point.is_packed_by_library == is_packed_by_library(cell); });
  if (nearest.size() < fewest_alike) nearest = points_;
  std::stable_sort(nearest.begin(), nearest.end(), [&](const Point& a, const Point& b) {
    return std::abs(a.log_bytes - log_bytes) < std::abs(b.log_bytes - log_bytes);
  });
  nearest.resize(std::min(nearest.size(), neighbours));
  return median_factor(nearest.begin(), nearest.end());
}

double MessageDrift::factor() const {
  return median_factor(points_.begin(), points_.end());
}

}  // namespace tilewright
