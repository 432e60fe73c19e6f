#include "tilewright/model/node_curve.hpp"

#include <gtest/gtest.h>

namespace tilewright {
namespace {

NodeCurve curve_of(const std::vector<std::pair<int, double>>& nodes_and_seconds) {
  NodeCurve curve{1, nodes_and_seconds.back().first, 1, {}};
  for (const auto& [nodes, seconds] : nodes_and_seconds) {
    curve.points.push_back({nodes, nodes, {1, nodes}, seconds, 1000});
  }
  return curve;
}

int recommended(const NodeCurve& curve) {
  return curve.points[advice(curve)->recommended].nodes;
}
int fastest(const NodeCurve& curve) {
  return curve.points[advice(curve)->fastest].nodes;
}

TEST(NodeCurve, EfficiencyComparesNodeHours) {
  const NodeCurve curve = curve_of({{2, 3600}, {4, 1800}, {8, 1800}});
  EXPECT_EQ(node_hours(curve.points[0]), 2);
  EXPECT_EQ(node_hours(curve.points[2]), 4);
  EXPECT_EQ(efficiency(curve, curve.points[0]), 1);
  EXPECT_EQ(efficiency(curve, curve.points[1]), 1);
  EXPECT_EQ(efficiency(curve, curve.points[2]), 0.5);
}

TEST(NodeCurve, RecommendsTheKnee) {
  EXPECT_EQ(recommended(curve_of({{1, 8}, {2, 4}, {4, 2}, {8, 1}})), 8) << "all nodes are worth their time";
  EXPECT_EQ(recommended(curve_of({{1, 8}, {2, 8}, {4, 8}})), 1) << "none is";
  EXPECT_EQ(fastest(curve_of({{1, 8}, {2, 8}, {4, 8}})), 1);
  // Amdahl with a serial part of 10 %: n (0.1 + 0.9 / n)^2 is least at n = 9.
  std::vector<std::pair<int, double>> amdahl;
  for (int n = 1; n <= 16; ++n) amdahl.emplace_back(n, 0.1 + 0.9 / n);
  EXPECT_EQ(recommended(curve_of(amdahl)), 9);
  EXPECT_EQ(fastest(curve_of(amdahl)), 16);
}

TEST(NodeCurve, GivesNoAdviceWithoutTimes) {
  NodeCurve curve = curve_of({{1, 8}, {2, 4}});
  curve.points[1].predicted_seconds.reset();
  EXPECT_FALSE(advice(curve));
  EXPECT_FALSE(node_hours(curve.points[1]));
  EXPECT_FALSE(efficiency(curve, curve.points[1]));
  EXPECT_FALSE(advice(NodeCurve{}));
}

TEST(NodeCurve, WorkThatTakesNoTimeNeedsNoMoreNodes) {
  const NodeCurve curve = curve_of({{1, 0}, {2, 0}});
  EXPECT_EQ(recommended(curve), 1);
  EXPECT_EQ(efficiency(curve, curve.points[1]), 1);
}

TEST(NodeCurve, ShowsAllOfAFewCountsAndSomeOfMany) {
  EXPECT_EQ(shown_node_counts(3, 6), (std::vector{3, 4, 5, 6}));
  EXPECT_EQ(shown_node_counts(7, 7), std::vector{7});
  EXPECT_EQ(shown_node_counts(1, 16).size(), 16U);
  EXPECT_EQ(shown_node_counts(5, 100), (std::vector{5, 6, 8, 12, 16, 24, 32, 48, 64, 96, 100}));
  EXPECT_EQ(shown_node_counts(1, 256).size(), 16U);
  EXPECT_EQ(shown_node_counts(1, 2147483647).back(), 2147483647);
}

}  // namespace
}  // namespace tilewright
