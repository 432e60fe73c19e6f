#include "node_words.hpp"

#include <fmt/format.h>

#include "tilewright/core/units.hpp"
#include "words.hpp"

namespace tilewright {
namespace {

std::string recommendation(const NodeCurve& curve, const NodePoint& point) {
  return fmt::format("{} recommended: {} at an efficiency of {} ({} node-hours)", counted(point.nodes, "node"),
                     seconds_text(point.predicted_seconds), percent_text(efficiency(curve, point)),
                     node_hours_text(node_hours(point)));
}

std::string what_more_nodes_bring(const NodePoint& recommended, const NodePoint& fastest) {
  return fmt::format("{}, the fastest, would save {} of that time for {:.2f} times the node-hours",
                     counted(fastest.nodes, "node"),
                     percent_text(1 - *fastest.predicted_seconds / *recommended.predicted_seconds),
                     *node_hours(fastest) / *node_hours(recommended));
}

std::string where_it_ends(const NodeCurve& curve, const NodePoint& fastest) {
  if (fastest.nodes < curve.last) {
    return fmt::format("more than {} do not pay: no plan that uses them is faster", counted(fastest.nodes, "node"));
  }
  return fmt::format("{}, the most that were asked about, are the fastest: still more may pay",
                     counted(fastest.nodes, "node"));
}

}  // namespace

std::string node_curve_title(const NodeCurve& curve) {
  return fmt::format("Nodes {} to {}, {} each", curve.first, curve.last, counted(curve.ranks_per_node, "rank"));
}

std::vector<std::string> node_advice_sentences(const NodeCurve& curve) {
  std::vector<std::string> sentences;
  const auto found = advice(curve);
  if (curve.points.empty()) {
    sentences.emplace_back(
        "each count has to be planned by itself, for it decides where images stay that are kept: tilewright plan does");
  } else if (!found) {
    sentences.emplace_back("no count is recommended: the profile does not know the time of every step");
  } else {
    const NodePoint& recommended = curve.points[found->recommended];
    const NodePoint& fastest = curve.points[found->fastest];
    sentences.push_back(recommendation(curve, recommended));
    if (recommended.nodes < fastest.nodes) sentences.push_back(what_more_nodes_bring(recommended, fastest));
    if (curve.last > curve.first) sentences.push_back(where_it_ends(curve, fastest));
  }
  if (!curve.points.empty() && curve.points.front().nodes > curve.first) {
    sentences.push_back(fmt::format("less than {} have no plan: their memory, or what is forced, forbids it",
                                    counted(curve.points.front().nodes, "node")));
  }
  return sentences;
}

std::string node_remark(const NodeCurve& curve, std::size_t point) {
  const auto found = advice(curve);
  if (!found) return {};
  if (point == found->recommended) return "recommended";
  return point == found->fastest ? "fastest" : "";
}

std::string percent_text(const std::optional<double>& fraction) {
  return fraction ? fmt::format("{:.3g} %", 100 * *fraction) : std::string("unknown");
}

std::string node_hours_text(const std::optional<double>& hours) {
  return hours ? fmt::format("{:.3g}", *hours) : std::string("unknown");
}

}  // namespace tilewright
