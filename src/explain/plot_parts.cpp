#include "plot_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tilewright/explain/page.hpp"
#include "tilewright/explain/plots.hpp"

namespace tilewright::plots {

double linear(double value) {
  return value;
}
double logarithmic(double value) {
  return std::log10(value);
}
std::string line(double x1, double y1, double x2, double y2, std::string_view style) {
  return fmt::format("<line class=\"{}\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>\n", style, x1, y1,
                     x2, y2);
}

std::string text_at(double x, double y, std::string_view style, std::string_view text) {
  return fmt::format("<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", style, x, y, escaped(text));
}

std::string mark_path(int series, double x, double y, double r) {
  switch (series % series_colours) {
    case 0:
      return fmt::format("M{:.1f} {:.1f}m{} 0a{} {} 0 1 0 {} 0a{} {} 0 1 0 {} 0z", x, y, -r, r, r, 2 * r, r, r, -2 * r);
    case 1:
      return fmt::format("M{:.1f} {:.1f}h{:.1f}v{:.1f}h{:.1f}z", x - 0.88 * r, y - 0.88 * r, 1.76 * r, 1.76 * r,
                         -1.76 * r);
    case 2:
      return fmt::format("M{:.1f} {:.1f}l{:.1f} {:.1f}h{:.1f}z", x, y - 1.15 * r, 1.1 * r, 1.95 * r, -2.2 * r);
    case 3:
      return fmt::format("M{:.1f} {:.1f}l{:.1f} {:.1f}l{:.1f} {:.1f}l{:.1f} {:.1f}z", x, y - 1.25 * r, 1.25 * r,
                         1.25 * r, -1.25 * r, 1.25 * r, -1.25 * r, -1.25 * r);
    case 4:
      return fmt::format("M{:.1f} {:.1f}l{:.1f} {:.1f}h{:.1f}z", x, y + 1.15 * r, 1.1 * r, -1.95 * r, -2.2 * r);
    default: {
      const double a = 0.42 * r;  // a cross: arms of half this width
      const double b = 1.15 * r - a;
      return fmt::format("M{:.2f} {:.2f}h{:.2f}v{:.2f}h{:.2f}v{:.2f}h{:.2f}v{:.2f}h{:.2f}v{:.2f}h{:.2f}v{:.2f}h{:.2f}z",
                         x - a, y - a - b, 2 * a, b, b, 2 * a, -b, b, -2 * a, -b, -b, -2 * a, b);
    }
  }
}

std::string mark(int series, double x, double y, std::string_view label, double r) {
  return fmt::format("<path class=\"mark s{}\" d=\"{}\"><title>{}</title></path>\n", series % series_colours,
                     mark_path(series, x, y, r), escaped(label));
}

std::string faint_mark(double x, double y, std::string_view label) {
  return fmt::format("<circle class=\"faint\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.4\"><title>{}</title></circle>\n", x, y,
                     escaped(label));
}

std::string svg(double width, double height, std::string_view description, std::string_view content) {
  return fmt::format(
      "<svg viewBox=\"0 0 {0:.0f} {1:.0f}\" style=\"min-width:{2:.0f}px\" role=\"img\" "
      "aria-label=\"{3}\">\n{4}</svg>\n",
      width, height, 0.75 * width, escaped(description), content);
}

std::string short_seconds(double seconds) {
  if (seconds < 0.9995e-3) return fmt::format("{:g} µs", seconds * 1e6);
  if (seconds < 0.9995) return fmt::format("{:g} ms", seconds * 1e3);
  return fmt::format("{:g} s", seconds);
}

/// 1, 10, 100 of each unit; 2 and 5 between them where there is room.
std::vector<Axis::Tick> second_ticks(const Axis& axis) {
  const bool narrow = axis.high() < 300 * axis.low();
  std::vector<Axis::Tick> ticks;
  for (int exponent = -9; exponent <= 6; ++exponent) {
    for (const double digit : {1.0, 2.0, 5.0}) {
      const double value = digit * std::pow(10.0, exponent);
      if (digit == 1.0 || narrow) ticks.push_back({value, short_seconds(value)});
    }
  }
  return ticks;
}

std::vector<Axis::Tick> percent_ticks(const std::vector<double>& fractions) {
  std::vector<Axis::Tick> ticks;
  for (const double fraction : fractions) ticks.push_back({fraction, fmt::format("{:g} %", 100 * fraction)});
  return ticks;
}

std::string x_grid(const Frame& frame, const Axis& axis, const std::vector<Axis::Tick>& ticks) {
  std::string text;
  for (const Axis::Tick& tick : ticks) {
    const double x = axis.pixel(tick.value);
    text += line(x, frame.top, x, frame.bottom, "grid") + text_at(x, frame.bottom + 18, "tick middle", tick.text);
  }
  return text;
}

std::string y_grid(const Frame& frame, const Axis& axis, const std::vector<Axis::Tick>& ticks) {
  std::string text;
  for (const Axis::Tick& tick : ticks) {
    const double y = axis.pixel(tick.value);
    text += line(frame.left, y, frame.right, y, "grid") + text_at(frame.left - 8, y + 4, "tick end", tick.text);
  }
  return text;
}

std::string y_title(const Frame& frame, std::string_view text) {
  const double y = (frame.top + frame.bottom) / 2;
  return fmt::format("<text class=\"title middle\" transform=\"translate(14 {:.1f}) rotate(-90)\">{}</text>\n", y,
                     escaped(text));
}

std::string x_title(const Frame& frame, std::string_view text) {
  return text_at((frame.left + frame.right) / 2, frame.bottom + 38, "title middle", text);
}

}  // namespace tilewright::plots
