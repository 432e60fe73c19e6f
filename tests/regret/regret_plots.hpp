// Plots of the proving ground's report, as inline SVG with the marks and colours of those of the product.
#pragma once

#include <string>
#include <vector>

namespace tilewright::plots {

/// A dot on a line of its own kind of value.
struct Dot {
  double value = 0;
  int series = 0;
  std::string label;
};
/// A row of dots; a heading has none.
struct DotRow {
  std::string text;
  std::vector<Dot> dots;
  bool heading = false;
};
/// Regrets: linear near 0, logarithmic beyond; `limit` is drawn as a line.
[[nodiscard]] std::string regret_rows(const std::vector<DotRow>& rows, double limit);
/// Ratios: logarithmic, with a line at 1.
[[nodiscard]] std::string ratio_rows(const std::vector<DotRow>& rows);

struct Distribution {
  int series = 0;
  std::string name;
  std::vector<double> values;
};
/// The share of regrets that are at most x, for each strategy.
[[nodiscard]] std::string regret_distribution(const std::vector<Distribution>& distributions, double limit);

}  // namespace tilewright::plots
