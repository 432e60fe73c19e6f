// What the plans of the proving ground cost on recorded machines: no change makes one costlier, or cheaper, unnoticed.
// The profiles in recorded/ are exported ones without their samples, rounded to four digits; but for the first one,
// cells that lie within 12 % of the line between their neighbours are left out, and so are operators that no case has.
// After a change that is wanted:
//   TILEWRIGHT_WRITE_GOLDEN=1 build/bin/decisions_test --gtest_filter='PlanCosts*'
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>

#include "planning.hpp"
#include "regret/cases.hpp"
#include "regret/csv_table.hpp"
#include "tilewright/benchdb/exchange.hpp"
#include "tilewright/scheduler/planner.hpp"

namespace tilewright::regret {
namespace {

namespace fs = std::filesystem;

/// Of what the same sums come to with other compilers.
constexpr double tolerance = 1e-9;

struct Machine {
  std::string name;
  MachineProfile profile;
  Ground ground;
  SearchSpace space;  ///< but for the ranks and the memory of a case
  std::vector<std::string> models;
  int most_ranks = 0;  ///< of a larger machine of that kind; 0: none is asked about
};

fs::path recorded() {
  return fs::path(TILEWRIGHT_SOURCE_DIR) / "tests/regret/recorded";
}

MachineProfile recorded_profile(const std::string& name) {
  return read_profile(recorded() / (name + ".csv"), name).profile;
}

/// Two nodes thrice as fast as the others.
MachineProfile with_unequal_nodes(const MachineProfile& profile) {
  std::vector<OperatorCell> cells = profile.operators();
  for (int node = 0; node < profile.fingerprint().nodes; ++node) {
    cells.push_back(node_pace_cell(node, fmt::format("node{}", node)));
    cells.back().time_per_unit = {node < 2 ? 1.0 / 3 : 1.0, 0, 1};
  }
  return {profile.name(), profile.fingerprint(), profile.paths(), std::move(cells)};
}

/// Nodes within which messages and shared memory are as those of `node`.
MachineProfile with_messages_within_nodes(const MachineProfile& profile, const MachineProfile& node) {
  std::vector<PathCell> cells = profile.paths();
  for (PathCell cell : node.paths()) {
    cell.within_node = cell.path != Path::shared && cell.path != Path::shared_gather;
    cells.push_back(cell);
  }
  return {profile.name(), profile.fingerprint(), std::move(cells), profile.operators()};
}

/// Recorded ones, and what can be made of them: each has decisions that the others have not.
std::vector<Machine> machines() {
  const std::string usual = "p3pc-stride";
  const MachineProfile slow_wire = recorded_profile("100mbit-20-8");
  const MachineProfile fast_wire = recorded_profile("1gbit-20-8").with_operators_from(slow_wire);
  const MachineProfile shared = recorded_profile("shared-100-2");
  const MachineProfile unequal = with_unequal_nodes(slow_wire);
  return {{"100mbit-20-8", slow_wire, {"100mbit", "20"}, {}, {"p3pc", usual}, 64},
          {"1gbit-20-8", fast_wire, {"1gbit", "20"}, {}, {usual}, 64},
          {"shared-100-2", shared, {"shared memory", "100"}, {.ranks_per_node = 2, .sharing_ranks = 2}, {usual}},
          {"100mbit-20-8 unequal",
           unequal,
           {"100mbit", "60,20"},
           {.rank_speeds = speeds_by_rank(unequal, {"node0", "node1", "node2", "node3", "node4", "node5"})},
           {usual}},
          {"1gbit-20-2x4",
           with_messages_within_nodes(fast_wire, shared),
           {"1gbit", "20"},
           {.ranks_per_node = 4, .mappable_nodes = 2, .sharing_ranks = 4},
           {usual}}};
}

/// A case's ranks, all of them working or not; and those of a larger machine.
std::vector<std::pair<std::string, SearchSpace>> questions(const Machine& machine, const Case& contested) {
  SearchSpace free = machine.space;
  free.max_ranks = contested.max_ranks;
  free.node_memory = contested.node_memory;
  SearchSpace all = free;
  all.ranks = contested.max_ranks;
  std::vector<std::pair<std::string, SearchSpace>> asked{{contested.name(), free}, {contested.name() + ", all", all}};
  if (machine.most_ranks > 0) {
    free.max_ranks = machine.most_ranks;
    asked.emplace_back(fmt::format("{} of {}", contested.name(), machine.most_ranks), free);
  }
  return asked;
}

/// Seconds, and what they were found for, by question.
struct PlannedCost {
  double seconds = 0;
  std::string grid;
};
using PlannedCosts = std::map<std::string, PlannedCost>;

PlannedCosts planned_costs() {
  PlannedCosts costs;
  for (const Machine& machine : machines()) {
    for (const Case& contested : cases_of(machine.ground, false)) {
      const Pipeline pipeline = record_choice(contested.pipeline, contested.image);
      for (const auto& [question, space] : questions(machine, contested)) {
        for (const std::string& model : machine.models) {
          const Plan plan = plan_pipeline(pipeline, machine.profile, *make_cost_model(model, machine.profile), space);
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
