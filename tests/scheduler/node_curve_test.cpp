// What a plan says about fewer nodes, against plans that are made for each count by itself.
#include <gtest/gtest.h>

#include "scheduler/planning.hpp"

namespace tilewright {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)

/// Computing takes long enough that several ranks pay, and messages long enough that many do not.
const SyntheticMachine some_pay{.latency_s = 2e-3, .seconds_per_byte = 1e-8, .seconds_per_value = 3e-7};

/// That the point is what the planner chooses when so many nodes are all there is.
void expect_plan_of_its_own(const NodePoint& point, const SyntheticMachine& machine, SearchSpace space) {
  SCOPED_TRACE(point.nodes);
  space.node_curve = false;
  space.max_ranks = point.nodes * space.ranks_per_node;
  const Plan plan = plan_on(filters(), machine, space);
  EXPECT_EQ(point.ranks, plan.ranks);
  EXPECT_EQ(point.grid, plan.grid);
  EXPECT_EQ(point.predicted_seconds, plan.predicted_seconds);
  EXPECT_EQ(point.node_bytes, node_bytes(plan));
}

TEST(NodeCurveOfAPlan, HasThePlanOfEveryCount) {
  for (const int ranks_per_node : {1, 3}) {
    const SearchSpace space{.max_ranks = 24, .ranks_per_node = ranks_per_node, .node_curve = true};
    const Plan plan = plan_on(filters(), some_pay, space);
    ASSERT_TRUE(plan.node_curve);
    EXPECT_EQ(plan.node_curve->first, 1);
    EXPECT_EQ(plan.node_curve->last, 24 / ranks_per_node);
    for (const NodePoint& point : plan.node_curve->points) expect_plan_of_its_own(point, some_pay, space);
  }
}

TEST(NodeCurveOfAPlan, ShowsTheFastestCountAmongMany) {
  const Plan plan = plan_on(filters(), some_pay, {.max_ranks = 40, .node_curve = true});
  const NodeCurve& curve = *plan.node_curve;
  const auto found = advice(curve);
  ASSERT_TRUE(found);
  EXPECT_EQ(curve.points[found->fastest].nodes, plan.ranks);
  EXPECT_EQ(curve.points[found->fastest].predicted_seconds, plan.predicted_seconds);
  EXPECT_LT(plan.ranks, 40) << "at some count more nodes do not pay";
  EXPECT_LE(curve.points[found->recommended].nodes, plan.ranks);
  EXPECT_EQ(curve.points.back().nodes, 40);
  EXPECT_EQ(curve.points.back().ranks, plan.ranks) << "the others idle";
  double before = *curve.points.front().predicted_seconds;
  for (const NodePoint& point : curve.points) {
    EXPECT_LE(*point.predicted_seconds, before);
    before = *point.predicted_seconds;
  }
}

TEST(NodeCurveOfAPlan, LeavesThePlanAsItIs) {
  const Plan without = plan_on(filters(), some_pay, {.max_ranks = 12});
  EXPECT_FALSE(without.node_curve);
  Plan with = plan_on(filters(), some_pay, {.max_ranks = 12, .node_curve = true});
  with.node_curve.reset();
  EXPECT_EQ(with, without);
}

TEST(NodeCurveOfAPlan, BeginsWhereAPlanIsPossible) {
  const Plan forced = plan_on(filters(), some_pay, {.max_ranks = 8, .ranks = 5, .node_curve = true});
  ASSERT_EQ(forced.node_curve->points.size(), 4U);
  EXPECT_EQ(forced.node_curve->points.front().nodes, 5);
  const Pipeline hungry =
      record({test::write(test::filter({test::source({.extent = {64, 64}})}, {.scratch_per_pixel = 100}))});
  const Plan tight = plan_on(hungry, slow_network, {.max_ranks = 4, .node_memory = 64 * 64 * 60, .node_curve = true});
  EXPECT_EQ(tight.node_curve->first, 1);
  EXPECT_EQ(tight.node_curve->points.front().nodes, 2) << "one node has too little memory";
  for (const NodePoint& point : tight.node_curve->points) EXPECT_LE(point.node_bytes, 64 * 64 * 60);
}

TEST(NodeCurveOfAPlan, BeginsWithTheFewestNodesAskedAbout) {
  const Plan plan =
      plan_on(filters(), some_pay, {.min_ranks = 5, .max_ranks = 12, .ranks_per_node = 2, .node_curve = true});
  EXPECT_EQ(plan.node_curve->first, 3);
  EXPECT_EQ(plan.node_curve->points.front().nodes, 3);
}

}  // namespace
}  // namespace tilewright
