#include <fmt/format.h>

#include <algorithm>

#include "node_words.hpp"
#include "plot_parts.hpp"
#include "tilewright/core/units.hpp"
#include "tilewright/explain/page.hpp"
#include "tilewright/explain/plots.hpp"

namespace tilewright::plots {
namespace {

constexpr int recommended_series = 3;

std::vector<Axis::Tick> node_ticks(const NodeCurve& curve) {
  std::vector<Axis::Tick> ticks;
  for (const NodePoint& point : curve.points) {
    ticks.push_back({static_cast<double>(point.nodes), std::to_string(point.nodes)});
  }
  return ticks;
}

std::pair<double, double> seconds_range(const NodeCurve& curve) {
  constexpr double margin = 1.4;
  const auto [least, most] = std::minmax_element(
      curve.points.begin(), curve.points.end(),
      [](const NodePoint& a, const NodePoint& b) { return *a.predicted_seconds < *b.predicted_seconds; });
  return {*least->predicted_seconds / margin, *most->predicted_seconds * margin};
}

/// The time if every added node were worth as much as the first ones; as far as it stays within the frame.
std::string ideal_line(const NodePoint& first, const Axis& x, const Axis& y) {
  const double work = first.nodes * *first.predicted_seconds;
  const double end = std::min(x.high(), work / y.low());
  return line(x.pixel(first.nodes), y.pixel(*first.predicted_seconds), x.pixel(end), y.pixel(work / end), "reference");
}

std::string label_of(const NodeCurve& curve, std::size_t index) {
  const NodePoint& point = curve.points[index];
  const std::string remark = node_remark(curve, index);
  return fmt::format("{} nodes: {}, efficiency {}{}", point.nodes, format_seconds(*point.predicted_seconds),
                     percent_text(efficiency(curve, point)), remark.empty() ? "" : ", " + remark);
}

}  // namespace

std::string node_plot(const NodeCurve& curve) {
  const auto found = advice(curve);
  const bool drawable = found && curve.points.size() > 1 && *curve.points[found->fastest].predicted_seconds > 0;
  if (!drawable) return {};
  const Frame frame{76, 10, 550, 250};
  const Axis x(logarithmic, {curve.points.front().nodes, curve.points.back().nodes}, {frame.left + 8, frame.right - 8});
  const Axis y(logarithmic, seconds_range(curve), {frame.bottom, frame.top});
  std::string text = x_grid(frame, x, x.fitting(node_ticks(curve), 22));
  text += y_grid(frame, y, y.fitting(second_ticks(y), 22));
  text += y_title(frame, "predicted time") + x_title(frame, "nodes");
  text += ideal_line(curve.points.front(), x, y);
  std::string path;
  std::string marks;
  for (std::size_t i = 0; i < curve.points.size(); ++i) {
    const double px = x.pixel(curve.points[i].nodes);
    const double py = y.pixel(*curve.points[i].predicted_seconds);
    const bool recommended = i == found->recommended;
    path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", px, py);
    marks += mark(recommended ? recommended_series : 0, px, py, label_of(curve, i), recommended ? 7 : 3.4);
  }
  text += fmt::format("<path class=\"curve k0\" d=\"{}\"/>\n", path) + marks;
  return svg(560, 296, "predicted time as a function of the number of nodes", text);
}

}  // namespace tilewright::plots
