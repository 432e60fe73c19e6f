#include "tilewright/model/node_speeds.hpp"

#include <algorithm>

#include "tilewright/model/machine_profile.hpp"

namespace tilewright {
namespace {

constexpr std::string_view key_prefix = "node:";

/// Of what differs by less, the most may be noise.
constexpr double least_ratio = 1.2;

}  // namespace

OperatorCell node_pace_cell(int number, const std::string& node) {
  return {std::string(key_prefix) + node, PixelType::f32, static_cast<double>(number), 0, {}};
}

std::optional<std::string> node_of_pace(const OperatorCell& cell) {
  if (!cell.key.starts_with(key_prefix)) return std::nullopt;
  return cell.key.substr(key_prefix.size());
}

std::vector<NodeSpeed> node_speeds_of(const std::vector<OperatorCell>& cells) {
  std::vector<OperatorCell> paces;
  std::copy_if(cells.begin(), cells.end(), std::back_inserter(paces),
               [](const OperatorCell& cell) { return node_of_pace(cell) && cell.time_per_unit.seconds > 0; });
  if (paces.empty()) return {};
  std::stable_sort(paces.begin(), paces.end(),
                   [](const OperatorCell& a, const OperatorCell& b) { return a.parameter < b.parameter; });
  const auto pace_of = [](const OperatorCell& cell) { return cell.time_per_unit.seconds; };
  const double slowest = pace_of(*std::max_element(
      paces.begin(), paces.end(), [&](const auto& a, const auto& b) { return pace_of(a) < pace_of(b); }));
  std::vector<NodeSpeed> speeds;
  double most = 1;
  for (const OperatorCell& pace : paces) {
    const std::string node = *node_of_pace(pace);
    const double speed = slowest / pace_of(pace);
    most = std::max(most, speed);
    const auto known = std::find_if(speeds.begin(), speeds.end(), [&](const NodeSpeed& of) { return of.node == node; });
    if (known == speeds.end()) {
      speeds.push_back({node, speed});
    } else {
      known->speed = std::min(known->speed, speed);
    }
  }
  return most < least_ratio ? std::vector<NodeSpeed>() : speeds;
}

double speed_of(const std::vector<NodeSpeed>& speeds, std::string_view node) {
  const auto known = std::find_if(speeds.begin(), speeds.end(), [&](const NodeSpeed& of) { return of.node == node; });
  return known == speeds.end() ? 1 : known->speed;
}

}  // namespace tilewright
