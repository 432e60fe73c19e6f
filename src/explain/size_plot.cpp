#include <fmt/format.h>

#include <algorithm>

#include "plot_parts.hpp"
#include "tilewright/core/units.hpp"
#include "tilewright/explain/page.hpp"
#include "tilewright/explain/plots.hpp"

namespace tilewright::plots {
namespace {

struct Ranges {
  std::pair<double, double> bytes{1e30, 0};
  std::pair<double, double> seconds{1e30, 0};

  static void widen(std::pair<double, double>& range, double value) {
    if (value <= 0) return;
    range = {std::min(range.first, value), std::max(range.second, value)};
  }
};

/// Of what was measured, with a margin; curves are cut off there.
Ranges ranges_of(const std::vector<SizePoint>& points) {
  Ranges ranges;
  for (const SizePoint& point : points) {
    Ranges::widen(ranges.bytes, point.bytes);
    Ranges::widen(ranges.seconds, point.seconds);
  }
  constexpr double margin = 1.6;
  for (auto* range : {&ranges.bytes, &ranges.seconds}) *range = {range->first / margin, range->second * margin};
  return ranges;
}

std::vector<Axis::Tick> byte_ticks() {
  std::vector<Axis::Tick> ticks;
  for (double bytes = 16; bytes < 1e9; bytes *= 4) {
    ticks.push_back({bytes, bytes < 1024      ? fmt::format("{:g} B", bytes)
                            : bytes < 1 << 20 ? fmt::format("{:g} KiB", bytes / 1024)
                                              : fmt::format("{:g} MiB", bytes / (1 << 20))});
  }
  return ticks;
}

std::string curve_path(const SizeCurve& curve, const Axis& x, const Axis& y) {
  std::string path;
  for (const auto& [bytes, seconds] : curve.points) {
    if (bytes < x.low() || bytes > x.high() || seconds < y.low() || seconds > y.high()) continue;
    path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", x.pixel(bytes), y.pixel(seconds));
  }
  return fmt::format("<path class=\"curve k{}\" d=\"{}\"><title>{}</title></path>\n", curve.series % series_colours,
                     path, escaped(curve.name));
}

}  // namespace

std::string size_plot(const std::vector<SizeCurve>& curves, const std::vector<SizePoint>& points) {
  if (points.empty()) return "<p class=\"empty\">Nothing was measured.</p>\n";
  const Frame frame{76, 10, 550, 340};
  const Ranges ranges = ranges_of(points);
  const Axis x(logarithmic, ranges.bytes, {frame.left, frame.right});
  const Axis y(logarithmic, ranges.seconds, {frame.bottom, frame.top});
  std::string text = x_grid(frame, x, x.fitting(byte_ticks(), 50));
  text += y_grid(frame, y, y.fitting(second_ticks(y), 22));
  text += y_title(frame, "time") + x_title(frame, "size of the message");
  for (auto curve = curves.rbegin(); curve != curves.rend(); ++curve) text += curve_path(*curve, x, y);
  for (const SizePoint& point : points) text += faint_mark(x.pixel(point.bytes), y.pixel(point.seconds), point.label);
  return svg(560, 386, "time of a message as a function of its size", text);
}

}  // namespace tilewright::plots
