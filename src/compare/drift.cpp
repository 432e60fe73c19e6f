#include "drift.hpp"

#include <algorithm>
#include <cmath>

#include "tilewright/model/cell_names.hpp"

namespace tilewright {
namespace {

/// So many tell the factor of a size: of fewer, one that was disturbed would.
constexpr std::size_t neighbours = 7;
constexpr std::size_t fewest_alike = 3;

}  // namespace

MessageDrift::MessageDrift(const MachineProfile& profile, const std::vector<MeasuredMessage>& known) {
  for (const MeasuredMessage& message : known) {
    const PathCell* then = find_cell(profile.paths(), cell_name(message.cell));
    if (then == nullptr || !(then->time.seconds > 0) || message.cell.bytes <= 0) continue;
    const double then_s = profile.message_time(*then).seconds;
    points_.push_back({is_packed_by_library(message.cell),
                       {std::log(static_cast<double>(message.cell.bytes)), message.cell.time.seconds / then_s}});
  }
}

double MessageDrift::factor(const PathCell& cell) const {
  std::vector<PointOnLine> alike, all;
  for (const Point& point : points_) {
    all.push_back(point.factor);
    if (point.is_packed_by_library == is_packed_by_library(cell)) alike.push_back(point.factor);
  }
  const double log_bytes = std::log(static_cast<double>(std::max<std::int64_t>(1, cell.bytes)));
  return median_of_nearest(alike.size() < fewest_alike ? all : alike, log_bytes, neighbours);
}

double MessageDrift::factor() const {
  std::vector<double> factors;
  for (const Point& point : points_) factors.push_back(point.factor.value);
  return median(factors);
}

}  // namespace tilewright
