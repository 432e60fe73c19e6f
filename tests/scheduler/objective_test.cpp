// What a plan is chosen for, against plans that are made for each number of ranks by itself.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "scheduler/planning.hpp"
#include "tilewright/core/error.hpp"
#include "tilewright/core/node_mapping.hpp"
#include "tilewright/model/node_curve.hpp"

namespace tilewright {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)
using testing::Contains;
using testing::HasSubstr;
using testing::MatchesRegex;

/// Several ranks pay, but take more node-hours than one.
const SyntheticMachine some_pay{.latency_s = 2e-4, .seconds_per_byte = 1e-8, .seconds_per_value = 3e-7};
constexpr int most_ranks = 12;

double node_hours_of(const Plan& plan, int ranks_per_node) {
  return node_hours(nodes_of(plan.ranks, ranks_per_node), *plan.predicted_seconds);
}

/// The best plan of each number of ranks.
std::vector<Plan> plans_by_ranks(int ranks_per_node) {
  std::vector<Plan> plans;
  for (int ranks = 1; ranks <= most_ranks; ++ranks) {
    plans.push_back(
        plan_on(filters(), some_pay, {.max_ranks = most_ranks, .ranks_per_node = ranks_per_node, .ranks = ranks}));
  }
  return plans;
}

TEST(Objective, OfFewestNodeHoursIsMetByNoOtherPlan) {
  for (const int ranks_per_node : {1, 4}) {
    SCOPED_TRACE(ranks_per_node);
    SearchSpace space{.max_ranks = most_ranks, .ranks_per_node = ranks_per_node};
    const Plan fastest = plan_on(filters(), some_pay, space);
    space.wishes.objective = Objective::node_hours;
    const Plan cheapest = plan_on(filters(), some_pay, space);
    double least = std::numeric_limits<double>::infinity();
    for (const Plan& plan : plans_by_ranks(ranks_per_node))
      least = std::min(least, node_hours_of(plan, ranks_per_node));
    EXPECT_DOUBLE_EQ(node_hours_of(cheapest, ranks_per_node), least);
    EXPECT_LT(cheapest.ranks, fastest.ranks) << "else the two are one question";
    EXPECT_TRUE(cheapest.proven_optimal);
    EXPECT_EQ(cheapest.lower_bound_seconds, cheapest.predicted_seconds);
    EXPECT_THAT(cheapest.notes, Contains(HasSubstr("fewest node-hours")));
    ASSERT_NE(alternative(cheapest, fastest.grid), nullptr);
    EXPECT_THAT(alternative(cheapest, fastest.grid)->why_not, HasSubstr("more node-hours"));
  }
}

TEST(Objective, OfFewestNodeHoursNamesTheTermOfABoundThatIsTooMuch) {
  SearchSpace space{.max_ranks = 64};
  space.wishes.objective = Objective::node_hours;
  const Plan plan = plan_on(filters(), some_pay, space);
  int bounded = 0;
  for (const Alternative& other : plan.alternatives) {
    if (!other.lower_bound_seconds) continue;
    ++bounded;
    EXPECT_THAT(other.why_not, MatchesRegex("at least .* % more node-hours: .+ takes .+ more .+"));
  }
  EXPECT_GT(bounded, 0);
}

TEST(Objective, UnderABudgetIsTheFastestThatKeepsToIt) {
  const std::vector<Plan> plans = plans_by_ranks(1);
  for (const Plan& limit : plans) {
    SearchSpace space{.max_ranks = most_ranks};
    space.wishes.most_node_hours = node_hours_of(limit, 1) * (1 + 1e-9);
    double least = std::numeric_limits<double>::infinity();
    for (const Plan& plan : plans) {
      if (node_hours_of(plan, 1) <= *space.wishes.most_node_hours) least = std::min(least, *plan.predicted_seconds);
    }
    const Plan plan = plan_on(filters(), some_pay, space);
    EXPECT_DOUBLE_EQ(*plan.predicted_seconds, least);
    EXPECT_LE(node_hours_of(plan, 1), *space.wishes.most_node_hours);
    EXPECT_TRUE(plan.proven_optimal);
    EXPECT_THAT(plan.notes, Contains(HasSubstr("node-hours that may be spent")));
  }
}

TEST(Objective, UnderABudgetHoldsForEveryNumberOfNodes) {
  SearchSpace space{.max_ranks = most_ranks, .node_curve = true};
  space.wishes.objective = Objective::node_hours;
  space.wishes.most_node_hours = node_hours_of(plan_on(filters(), some_pay, space), 1) * (1 + 1e-9);
  const Plan plan = plan_on(filters(), some_pay, space);
  ASSERT_TRUE(plan.node_curve);
  for (const NodePoint& point : plan.node_curve->points) {
    EXPECT_LE(node_hours(nodes_of(point.ranks, 1), *point.predicted_seconds), *space.wishes.most_node_hours);
  }
}

TEST(Objective, ABudgetThatNoPlanKeepsToSaysWhatWould) {
  SearchSpace space{.max_ranks = most_ranks};
  space.wishes.objective = Objective::node_hours;
  const double least = node_hours_of(plan_on(filters(), some_pay, space), 1);
  space.wishes.most_node_hours = least / 2;
  EXPECT_THAT(error_of(filters(), some_pay, space), HasSubstr(fmt::format("no plan takes less than {:.3g}", least)));
}

TEST(Objective, OfNodeHoursHasABoundWhereTheSearchIsCut) {
  SearchSpace space{.max_ranks = 4, .max_states = 4};
  space.wishes.objective = Objective::node_hours;
  const Plan plan = plan_on(filters(), some_pay, space);
  EXPECT_FALSE(plan.proven_optimal);
  EXPECT_LE(*plan.lower_bound_seconds, *plan.predicted_seconds);
  EXPECT_GT(*plan.lower_bound_seconds, 0);
}

TEST(Objective, HasNames) {
  for (const Objective objective : {Objective::time, Objective::node_hours}) {
    EXPECT_EQ(parse_objective(to_string(objective)), objective);
  }
  EXPECT_THROW(static_cast<void>(parse_objective("money")), ParameterError);
}

}  // namespace
}  // namespace tilewright
