#include "fits.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tilewright/model/not_measured.hpp"

namespace tilewright {

std::vector<TimedSize> measured_row(const MachineProfile& profile, Path path, std::string_view model) {
  std::vector<TimedSize> points;
  for (const PathCell& cell : profile.paths()) {
    const bool is_of_row = cell.path == path && cell.layout == Layout::cc && cell.packing == Packing::datatype;
    if (is_of_row && cell.has_paper_blocks() && !cell.within_node && cell.time.seconds > 0) {
      points.push_back({static_cast<double>(cell.bytes), profile.message_time(cell).seconds});
    }
  }
  if (points.size() < 2) {
    throw NotMeasured(
        fmt::format("machine '{}' has no measurement of {} with two sizes, which the model {} needs: calibrate "
                    "it again, with 2 ranks or more",
                    profile.name(), to_string(path), model));
  }
  return points;
}

double fitted_slope(const std::vector<TimedSize>& points, double constant) {
  double above = 0;
  double below = 0;
  for (const TimedSize& point : points) {
    const double weight = 1 / (point.seconds * point.seconds);
    above += weight * point.size * (point.seconds - constant);
    below += weight * point.size * point.size;
  }
  return below > 0 ? std::max(0.0, above / below) : 0;
}

Line fitted_line(const std::vector<TimedSize>& points) {
  double sum = 0, sum_x = 0, sum_xx = 0, sum_t = 0, sum_xt = 0;
  for (const auto& [x, t] : points) {
    const double weight = 1 / (t * t);
    sum += weight;
    sum_x += weight * x;
    sum_xx += weight * x * x;
    sum_t += weight * t;
    sum_xt += weight * x * t;
  }
  const double determinant = sum * sum_xx - sum_x * sum_x;
  const double constant = determinant > 0 ? (sum_xx * sum_t - sum_x * sum_xt) / determinant : sum_t / sum;
  const double kept = std::max(0.0, constant);
  return {kept, fitted_slope(points, kept)};
}

}  // namespace tilewright
