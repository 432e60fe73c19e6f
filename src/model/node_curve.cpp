#include "tilewright/model/node_curve.hpp"

#include <algorithm>
#include <numeric>
#include <set>

namespace tilewright {
namespace {

constexpr double seconds_an_hour = 3600;
constexpr int most_shown_in_full = 16;

/// The index of the point with the least `cost`, the first of equal ones.
template <class Cost>
std::size_t cheapest(const std::vector<NodePoint>& points, Cost&& cost) {
  const auto least = std::min_element(points.begin(), points.end(),
                                      [&](const NodePoint& a, const NodePoint& b) { return cost(a) < cost(b); });
  return static_cast<std::size_t>(least - points.begin());
}

}  // namespace

double node_hours(int nodes, double seconds) {
  return nodes * seconds / seconds_an_hour;
}

std::optional<double> node_hours(const NodePoint& point) {
  if (!point.predicted_seconds) return std::nullopt;
  return node_hours(point.nodes, *point.predicted_seconds);
}

std::optional<double> efficiency(const NodeCurve& curve, const NodePoint& point) {
  if (curve.points.empty()) return std::nullopt;
  const auto few = node_hours(curve.points.front());
  const auto many = node_hours(point);
  if (!few || !many) return std::nullopt;
  return *many > 0 ? *few / *many : 1;
}

std::optional<NodeAdvice> advice(const NodeCurve& curve) {
  const bool known = std::all_of(curve.points.begin(), curve.points.end(),
                                 [](const NodePoint& point) { return point.predicted_seconds.has_value(); });
  if (!known || curve.points.empty()) return std::nullopt;
  return NodeAdvice{cheapest(curve.points, [](const NodePoint& p) { return *node_hours(p) * *p.predicted_seconds; }),
                    cheapest(curve.points, [](const NodePoint& p) { return *p.predicted_seconds; })};
}

std::vector<int> shown_node_counts(int first, int last) {
  if (last - first < most_shown_in_full) {
    std::vector<int> all(static_cast<std::size_t>(last - first) + 1);
    std::iota(all.begin(), all.end(), first);
    return all;
  }
  std::set<int> shown{first, last};
  for (std::int64_t power = 1; power <= last; power *= 2) {
    for (const std::int64_t count : {power, power + power / 2}) {
      if (count >= first && count <= last) shown.insert(static_cast<int>(count));
    }
  }
  return {shown.begin(), shown.end()};
}

}  // namespace tilewright
