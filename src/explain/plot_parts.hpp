// Axes, marks and grids, of which the plots are made.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tilewright::plots {

/// Where values lie on an axis, and what is written beside it.
class Axis {
 public:
  struct Tick {
    double value;
    std::string text;
  };
  using Transform = double (*)(double);

  Axis(Transform transform, std::pair<double, double> values, std::pair<double, double> pixels)
      : transform_(transform), values_(values), pixels_(pixels) {}
  [[nodiscard]] double low() const { return values_.first; }
  [[nodiscard]] double high() const { return values_.second; }
  [[nodiscard]] double pixel(double value) const {
    const double begin = transform_(values_.first);
    const double part = (transform_(std::clamp(value, low(), high())) - begin) / (transform_(values_.second) - begin);
    return pixels_.first + part * (pixels_.second - pixels_.first);
  }
  /// Those of the candidates that lie on the axis with room between them.
  [[nodiscard]] std::vector<Tick> fitting(std::vector<Tick> candidates, double room) const {
    std::vector<Tick> ticks;
    for (Tick& tick : candidates) {
      if (tick.value < low() || tick.value > high()) continue;
      if (!ticks.empty() && std::abs(pixel(tick.value) - pixel(ticks.back().value)) < room) continue;
      ticks.push_back(std::move(tick));
    }
    return ticks;
  }

 private:
  Transform transform_;
  std::pair<double, double> values_;
  std::pair<double, double> pixels_;
};

/// The rectangle in which values are drawn.
struct Frame {
  double left;
  double top;
  double right;
  double bottom;
};

[[nodiscard]] double linear(double value);
[[nodiscard]] double logarithmic(double value);
[[nodiscard]] std::string line(double x1, double y1, double x2, double y2, std::string_view style);
[[nodiscard]] std::string text_at(double x, double y, std::string_view style, std::string_view text);
[[nodiscard]] std::string mark_path(int series, double x, double y, double r);
[[nodiscard]] std::string mark(int series, double x, double y, std::string_view label, double r = 4.2);
[[nodiscard]] std::string faint_mark(double x, double y, std::string_view label);
[[nodiscard]] std::string svg(double width, double height, std::string_view description, std::string_view content);
[[nodiscard]] std::string short_seconds(double seconds);
/// 1, 10, 100 of each unit; 2 and 5 between them where there is room.
[[nodiscard]] std::vector<Axis::Tick> second_ticks(const Axis& axis);
[[nodiscard]] std::vector<Axis::Tick> percent_ticks(const std::vector<double>& fractions);
[[nodiscard]] std::string x_grid(const Frame& frame, const Axis& axis, const std::vector<Axis::Tick>& ticks);
[[nodiscard]] std::string y_grid(const Frame& frame, const Axis& axis, const std::vector<Axis::Tick>& ticks);
[[nodiscard]] std::string y_title(const Frame& frame, std::string_view text);
[[nodiscard]] std::string x_title(const Frame& frame, std::string_view text);

}  // namespace tilewright::plots
