// Axes, marks and rows, put together to plots.
#include "tilewright/explain/plots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "plot_parts.hpp"
#include "tilewright/explain/page.hpp"

namespace tilewright::plots {
namespace {

/// All times of the points, with a margin.
std::pair<double, double> time_range(const std::vector<PredictedPoint>& points) {
  double low = 1e30;
  double high = 0;
  for (const PredictedPoint& point : points) {
    low = std::min({low, point.predicted_s, point.measured_s});
    high = std::max({high, point.predicted_s, point.measured_s});
  }
  return {low / 1.4, high * 1.4};
}

/// A polygon between the lines y = x / (1 + tolerance) ... x (1 + tolerance), cut off by the frame.
std::string diagonal_band(const Frame& frame, const Axis& x, const Axis& y, double tolerance) {
  const double low = x.low();
  const double high = x.high();
  const double up = 1 + tolerance;
  const double down = 1 - tolerance;
  const std::vector<std::pair<double, double>> corners = {{low, low},   {low, low * up},     {high / up, high},
                                                          {high, high}, {high, high * down}, {low / down, low}};
  std::string points;
  for (const auto& [measured, predicted] : corners) {
    points += fmt::format("{:.1f},{:.1f} ", x.pixel(measured), y.pixel(predicted));
  }
  return fmt::format("<polygon class=\"band\" points=\"{}\"/>\n", points) +
         line(frame.left, frame.bottom, frame.right, frame.top, "reference");
}

/// The background first, so that what counts lies on top.
template <class Draw>
std::string draw_points(const std::vector<PredictedPoint>& points, const Draw& place) {
  std::string text;
  for (const bool faint : {true, false}) {
    for (const PredictedPoint& point : points) {
      if (point.faint != faint) continue;
      const auto [x, y] = place(point);
      text += faint ? faint_mark(x, y, point.label) : mark(point.series, x, y, point.label);
    }
  }
  return text;
}

std::string upper_prediction_plot(const Frame& frame, const Axis& x, const std::vector<PredictedPoint>& points,
                                  double tolerance) {
  const Axis y(logarithmic, {x.low(), x.high()}, {frame.bottom, frame.top});
  std::string text = x_grid(frame, x, x.fitting(second_ticks(x), 44));
  text += y_grid(frame, y, y.fitting(second_ticks(y), 22));
  text += diagonal_band(frame, x, y, tolerance) + y_title(frame, "predicted");
  return text + draw_points(points, [&](const PredictedPoint& point) {
           return std::pair(x.pixel(point.measured_s), y.pixel(point.predicted_s));
         });
}

std::string lower_prediction_plot(const Frame& frame, const Axis& x, const std::vector<PredictedPoint>& points,
                                  double tolerance) {
  const Axis y(linear, {-0.5, 0.5}, {frame.bottom, frame.top});
  std::string text =
      fmt::format("<rect class=\"band\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>\n", frame.left,
                  y.pixel(tolerance), frame.right - frame.left, y.pixel(-tolerance) - y.pixel(tolerance));
  text += x_grid(frame, x, x.fitting(second_ticks(x), 44));
  text += y_grid(frame, y, percent_ticks({-0.5, -0.25, 0.25, 0.5}));
  text += text_at(frame.left - 8, y.pixel(0) + 4, "tick end", "0 %");
  text += line(frame.left, y.pixel(0), frame.right, y.pixel(0), "reference");
  text += y_title(frame, "error") + x_title(frame, "measured");
  return text + draw_points(points, [&](const PredictedPoint& point) {
           const double error = (point.predicted_s - point.measured_s) / point.measured_s;
           return std::pair(x.pixel(point.measured_s), y.pixel(error));
         });
}

}  // namespace

std::string legend_mark(int series) {
  return fmt::format(
      "<svg class=\"key\" viewBox=\"0 0 14 14\" aria-hidden=\"true\"><path class=\"mark s{}\" d=\"{}\"/></svg>",
      series % series_colours, mark_path(series, 7, 7, 4.6));
}

std::string prediction_plot(const std::vector<PredictedPoint>& points, double tolerance) {
  if (points.empty()) return "<p class=\"empty\">Nothing was measured.</p>\n";
  const Frame upper{76, 10, 550, 400};
  const Frame lower{76, 440, 550, 590};
  const Axis x(logarithmic, time_range(points), {upper.left, upper.right});
  return svg(560, 634, "predicted against measured time, and the relative error below",
             upper_prediction_plot(upper, x, points, tolerance) + lower_prediction_plot(lower, x, points, tolerance));
}

}  // namespace tilewright::plots
