// What the plans of the proving ground cost on recorded machines: no change makes one costlier, or cheaper, unnoticed.
// The profiles in recorded/ are exported ones without their samples, rounded to four digits. After a change that is
// wanted:
//   TILEWRIGHT_WRITE_GOLDEN=1 build/bin/decisions_test --gtest_filter='PlanCosts*'
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>

#include "regret/cases.hpp"
#include "regret/csv_table.hpp"
#include "tilewright/benchdb/exchange.hpp"
#include "tilewright/scheduler/planner.hpp"

namespace tilewright::regret {
namespace {

namespace fs = std::filesystem;

/// Of what the same sums come to with other compilers.
constexpr double tolerance = 1e-9;

struct RecordedMachine {
  std::string name;
  Ground ground;
};

const std::vector<RecordedMachine> machines{{"100mbit-20-8", {"100mbit", "20"}}};

/// A larger cluster of that kind.
constexpr int most_ranks = 64;

/// A case's ranks, all of them working or not; and those of a larger cluster.
std::vector<std::pair<std::string, SearchSpace>> questions(const Case& contested) {
  const std::int64_t memory = contested.node_memory;
  const int ranks = contested.max_ranks;
  return {{contested.name(), {.max_ranks = ranks, .node_memory = memory}},
          {contested.name() + ", all", {.max_ranks = ranks, .ranks = ranks, .node_memory = memory}},
          {fmt::format("{} of {}", contested.name(), most_ranks), {.max_ranks = most_ranks, .node_memory = memory}}};
}

fs::path recorded() {
  return fs::path(TILEWRIGHT_SOURCE_DIR) / "tests/regret/recorded";
}

/// Seconds, and what they were found for, by question.
struct PlannedCost {
  double seconds = 0;
  std::string grid;
};
using PlannedCosts = std::map<std::string, PlannedCost>;

PlannedCosts planned_costs() {
  PlannedCosts costs;
  for (const RecordedMachine& machine : machines) {
    const MachineProfile profile = read_profile(recorded() / (machine.name + ".csv"), machine.name).profile;
    for (const Case& contested : cases_of(machine.ground, false)) {
      const Pipeline pipeline = record_choice(contested.pipeline, contested.image);
      for (const auto& [question, space] : questions(contested)) {
        for (const char* model : {"p3pc", "p3pc-stride"}) {
          const Plan plan = plan_pipeline(pipeline, profile, *make_cost_model(model, profile), space);
          costs[fmt::format("{} {} {}", machine.name, model, question)] = {*plan.predicted_seconds,
                                                                           to_string(plan.grid)};
        }
      }
    }
  }
  return costs;
}

void write(const PlannedCosts& costs, const fs::path& path) {
  CsvTable table{{"question", "seconds", "grid"}, {}};
  for (const auto& [question, cost] : costs) table.rows.push_back({question, csv_text(cost.seconds), cost.grid});
  write_csv_files({{path, table}});
}

PlannedCosts read(const fs::path& path) {
  PlannedCosts costs;
  for (const auto& row : read_csv_file(path).rows) costs[row[0]] = {csv_double(row[1], row[0]), row[2]};
  return costs;
}

TEST(PlanCosts, AreThoseThatWereRecorded) {
  const fs::path path = recorded() / "plan_costs.csv";
  const PlannedCosts now = planned_costs();
  if (std::getenv("TILEWRIGHT_WRITE_GOLDEN") != nullptr) write(now, path);
  const PlannedCosts before = read(path);
  EXPECT_EQ(now.size(), before.size());
  for (const auto& [question, cost] : now) {
    ASSERT_TRUE(before.contains(question)) << question << " has no recorded cost";
    const PlannedCost& then = before.at(question);
    EXPECT_NEAR(cost.seconds, then.seconds, tolerance * then.seconds)
        << question << ": " << cost.grid << ", before " << then.grid
        << (cost.seconds > then.seconds ? ": the plan became costlier" : ": cheaper; record it");
  }
}

}  // namespace
}  // namespace tilewright::regret
