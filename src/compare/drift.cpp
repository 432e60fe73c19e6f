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

std::optional<double> times_as_long(const MachineProfile& profile, const MeasuredMessage& message) {
  const PathCell* then = find_cell(profile.paths(), cell_name(message.cell));
  if (then == nullptr || !(then->time.seconds > 0) || message.cell.bytes <= 0) return std::nullopt;
  return message.cell.time.seconds / profile.message_time(*then).seconds;
}

MessageDrift::MessageDrift(const MachineProfile& profile, const std::vector<MeasuredMessage>& known) {
  for (const MeasuredMessage& message : known) {
    const auto ratio = times_as_long(profile, message);
    if (!ratio) continue;
    const double log_bytes = std::log(static_cast<double>(message.cell.bytes));
    points_.push_back({is_packed_by_library(message.cell), {log_bytes, *ratio}});
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

}  // namespace tilewright
