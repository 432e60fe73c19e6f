#include "refinement.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace tilewright {
namespace {

constexpr double narrowest_gap = 1.33;
/// What fewer say of a time may be noise. Where the processor is rationed cells have no more, each of a long burst,
/// when sizes are added.
constexpr std::int64_t fewest_samples = 3;
/// Between the empty message and the next size, which have no geometric middle.
constexpr double share_of_first_gap = 0.125;

double chord(const RowPoint& low, const RowPoint& high, std::int64_t bytes) {
  const double share = static_cast<double>(bytes - low.bytes) / static_cast<double>(high.bytes - low.bytes);
  return std::lerp(low.time.seconds, high.time.seconds, share);
}

bool leaves_chord(const RowPoint& low, const RowPoint& point, const RowPoint& high, double tolerance) {
  const double distance = std::abs(point.time.seconds - chord(low, high, point.bytes));
  for (const RowPoint* known : {&low, &point, &high}) {
    if (known->time.samples < fewest_samples) return false;
  }
  return distance > tolerance * point.time.seconds && distance > point.time.spread_s + low.time.spread_s;
}

std::optional<std::int64_t> middle(std::int64_t low, std::int64_t high, std::int64_t unit) {
  if (low > 0 && static_cast<double>(high) < narrowest_gap * static_cast<double>(low)) return std::nullopt;
  const double exact = low > 0 ? std::sqrt(static_cast<double>(low) * static_cast<double>(high))
                               : static_cast<double>(high) * share_of_first_gap;
  const std::int64_t bytes = std::llround(exact / static_cast<double>(unit)) * unit;
  if (bytes <= low || bytes >= high) return std::nullopt;
  return bytes;
}

}  // namespace

std::vector<std::int64_t> sizes_to_refine(const std::vector<RowPoint>& points, double tolerance, std::int64_t unit) {
  std::set<std::int64_t> sizes;
  for (std::size_t i = 1; i + 1 < points.size(); ++i) {
    if (!leaves_chord(points[i - 1], points[i], points[i + 1], tolerance)) continue;
    for (const std::size_t gap : {i - 1, i}) {
      if (const auto bytes = middle(points[gap].bytes, points[gap + 1].bytes, unit)) sizes.insert(*bytes);
    }
  }
  return {sizes.begin(), sizes.end()};
}

}  // namespace tilewright
