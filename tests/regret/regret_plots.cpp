#include "regret_plots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "plot_parts.hpp"
#include "tilewright/explain/page.hpp"
#include "tilewright/explain/plots.hpp"

namespace tilewright::plots {
namespace {

/// Linear near 0, so that no regret and a small one have their place; logarithmic beyond 2 %.
double regret_transform(double regret) {
  return std::copysign(std::log10(1 + std::abs(regret) / 0.02), regret);
}

std::vector<Axis::Tick> regret_ticks() {
  return percent_ticks(
      {-0.5, -0.2, -0.1, -0.05, -0.02, 0, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000});
}

std::pair<double, double> regret_range(const std::vector<double>& values) {
  double low = -0.004;
  double high = 0.2;
  for (const double value : values) {
    low = std::min(low, 1.1 * value);
    high = std::max(high, 1.15 * value);
  }
  return {low, high};
}

std::vector<double> values_of(const std::vector<DotRow>& rows) {
  std::vector<double> values;
  for (const DotRow& row : rows) {
    for (const Dot& dot : row.dots) values.push_back(dot.value);
  }
  return values;
}

struct RowLayout {
  double width = 1120;
  double labels = 380;
  double row = 22;
  double heading = 34;
};

double rows_height(const std::vector<DotRow>& rows, const RowLayout& layout) {
  double height = 0;
  for (const DotRow& row : rows) height += row.heading ? layout.heading : layout.row;
  return height;
}

/// Dots of one row may lie on each other: later series a little lower, and drawn first, so that series 0 is on top. A
/// series that has the row for itself lies on its line.
std::string dots_of(const DotRow& row, const Axis& axis, double y) {
  const bool mixed = std::any_of(row.dots.begin(), row.dots.end(),
                                 [&](const Dot& dot) { return dot.series != row.dots.front().series; });
  std::string text;
  for (auto dot = row.dots.rbegin(); dot != row.dots.rend(); ++dot) {
    const double shift = mixed ? 0.9 * (dot->series % series_colours) - 2 : 0;
    text += mark(dot->series, axis.pixel(dot->value), y + shift, dot->label, dot->series == 0 ? 5.2 : 4.2);
  }
  return text;
}

std::string draw_rows(const std::vector<DotRow>& rows, const RowLayout& layout, const Frame& frame, const Axis& axis) {
  std::string text;
  double y = frame.top;
  for (const DotRow& row : rows) {
    if (row.heading) {
      y += layout.heading;
      text += text_at(0, y - 9, "heading", row.text);
      continue;
    }
    y += layout.row;
    const double middle = y - layout.row / 2;
    text += line(frame.left, middle, frame.right, middle, "row");
    text += text_at(frame.left - 14, middle + 4, "label end", row.text) + dots_of(row, axis, middle);
  }
  return text;
}

std::string ecdf_path(const Distribution& distribution, const Axis& x, const Axis& y) {
  std::vector<double> values = distribution.values;
  std::sort(values.begin(), values.end());
  std::string path = fmt::format("M{:.1f} {:.1f}", x.pixel(x.low()), y.pixel(0));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double share = static_cast<double>(i + 1) / static_cast<double>(values.size());
    path += fmt::format("H{:.1f}V{:.1f}", x.pixel(values[i]), y.pixel(share));
  }
  path += fmt::format("H{:.1f}", x.pixel(x.high()));
  return fmt::format("<path class=\"curve k{}\" d=\"{}\"><title>{}</title></path>\n",
                     distribution.series % series_colours, path, escaped(distribution.name));
}

}  // namespace

std::string regret_rows(const std::vector<DotRow>& rows, double limit) {
  const RowLayout layout;
  const Frame frame{layout.labels, 24, layout.width - 24, 24 + rows_height(rows, layout)};
  const Axis x(regret_transform, regret_range(values_of(rows)), {frame.left, frame.right});
  const std::vector<Axis::Tick> ticks = x.fitting(regret_ticks(), 44);
  std::string text = x_grid(frame, x, ticks);
  for (const Axis::Tick& tick : ticks) text += text_at(x.pixel(tick.value), frame.top - 8, "tick middle", tick.text);
  text += line(x.pixel(0), frame.top, x.pixel(0), frame.bottom, "reference");
  text += line(x.pixel(limit), frame.top, x.pixel(limit), frame.bottom, "limit");
  text += draw_rows(rows, layout, frame, x) + x_title(frame, "regret");
  return svg(layout.width, frame.bottom + 46, "regret of each strategy in every case", text);
}

std::string ratio_rows(const std::vector<DotRow>& rows) {
  const RowLayout layout;
  const Frame frame{layout.labels, 24, layout.width - 24, 24 + rows_height(rows, layout)};
  std::pair<double, double> range = {0.75, 1.33};
  for (const double value : values_of(rows)) {
    range = {std::min(range.first, value / 1.05), std::max(range.second, value * 1.05)};
  }
  const Axis x(logarithmic, range, {frame.left, frame.right});
  std::vector<Axis::Tick> ticks;
  for (const double ratio : {0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5,  0.7,  0.8,  0.9,  1.0,
                             1.1,  1.25, 1.5,  2.0, 3.0, 5.0, 10.0, 20.0, 50.0, 100.0}) {
    ticks.push_back({ratio, fmt::format("{:g}", ratio)});
  }
  std::string text = x_grid(frame, x, x.fitting(ticks, 36));
  text += line(x.pixel(1), frame.top, x.pixel(1), frame.bottom, "reference");
  text += text_at(x.pixel(1) - 8, frame.top - 8, "tick end", "← the plan is faster");
  text += text_at(x.pixel(1) + 8, frame.top - 8, "tick", "by hand is faster →");
  text += draw_rows(rows, layout, frame, x) + x_title(frame, "time of the plan over that of the hand-written strips");
  return svg(layout.width, frame.bottom + 46, "times over those of hand-written row strips", text);
}

std::string regret_distribution(const std::vector<Distribution>& distributions, double limit) {
  std::vector<double> values;
  for (const Distribution& distribution : distributions) {
    values.insert(values.end(), distribution.values.begin(), distribution.values.end());
  }
  if (values.empty()) return "<p class=\"empty\">No regret is known.</p>\n";
  const Frame frame{76, 24, 1096, 340};
  const Axis x(regret_transform, regret_range(values), {frame.left, frame.right});
  const Axis y(linear, {0, 1}, {frame.bottom, frame.top});
  std::string text = x_grid(frame, x, x.fitting(regret_ticks(), 44));
  text += y_grid(frame, y, percent_ticks({0, 0.25, 0.5, 0.75, 1}));
  text += line(x.pixel(limit), frame.top, x.pixel(limit), frame.bottom, "limit");
  for (auto distribution = distributions.rbegin(); distribution != distributions.rend(); ++distribution) {
    if (!distribution->values.empty()) text += ecdf_path(*distribution, x, y);
  }
  text += y_title(frame, "share of cases") + x_title(frame, "regret at most");
  return svg(1120, 386, "distribution of regret for each strategy", text);
}

}  // namespace tilewright::plots
