// Plots as inline SVG. Colours are the page's: series i has the class s<i>, and a shape of its own beside it.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tilewright/model/node_curve.hpp"

namespace tilewright::plots {

inline constexpr int series_colours = 6;

/// The mark of a series as a small picture of its own, for legends.
[[nodiscard]] std::string legend_mark(int series);

/// A time that was predicted and measured.
struct PredictedPoint {
  double predicted_s = 0;
  double measured_s = 0;
  int series = 0;
  std::string label;
  bool faint = false;  ///< background: the plans that were not chosen
};
/// Predicted over measured, both logarithmic, with a band of the tolerance; below it the relative error over the same
/// times.
[[nodiscard]] std::string prediction_plot(const std::vector<PredictedPoint>& points, double tolerance);

/// Times as a function of a size in bytes: what a model says.
struct SizeCurve {
  int series = 0;
  std::string name;
  std::vector<std::pair<double, double>> points;  ///< bytes, seconds; ascending
};
/// And what was measured.
struct SizePoint {
  double bytes = 0;
  double seconds = 0;
  std::string label;
};
/// Curves and points, both axes logarithmic.
[[nodiscard]] std::string size_plot(const std::vector<SizeCurve>& curves, const std::vector<SizePoint>& points);

/// Predicted time over nodes, both logarithmic, with the recommended count and a line for an efficiency of 1. Empty if
/// there is nothing to draw: less than two points, or a time that is not known or 0.
[[nodiscard]] std::string node_plot(const NodeCurve& curve);

}  // namespace tilewright::plots
