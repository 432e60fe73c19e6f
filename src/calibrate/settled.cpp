#include "settled.hpp"

#include <algorithm>

#include "tilewright/core/statistics.hpp"

namespace tilewright {
namespace {

constexpr std::size_t fewest_samples = 6;
constexpr double tolerance = 0.02;
constexpr double tolerance_where_decided = 0.1;

}  // namespace

bool is_settled(std::span<const double> samples, const std::vector<std::span<const double>>& rivals) {
  if (samples.size() < fewest_samples) return false;
  const double middle = median(samples);
  const Interval own = median_interval_95(samples);
  const double reach = std::max(own.high - middle, middle - own.low);
  if (reach <= tolerance * middle) return true;
  if (reach > tolerance_where_decided * middle || rivals.empty()) return false;
  return std::none_of(rivals.begin(), rivals.end(), [&](std::span<const double> rival) {
    if (rival.size() < fewest_samples) return true;
    const Interval other = median_interval_95(rival);
    return own.low <= other.high && other.low <= own.high;
  });
}

}  // namespace tilewright
