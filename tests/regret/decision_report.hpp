// What forbidding each decision of the planner costs: stored as CSV, told as text and as a section of the page.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace tilewright::regret {

/// A plan of a decision's case.
struct DecidedPlan {
  std::string shape;  ///< ranks, grid and transfers, for people
  double predicted_s = 0;
  double measured_s = 0;  ///< median; NaN if it was not run
  double spread_s = 0;    ///< of the samples: half of what lies between the quartiles
  std::int64_t node_bytes = 0;
  friend bool operator==(const DecidedPlan&, const DecidedPlan&) = default;
};

/// A decision on one ground. A plan that needs more than the node's memory is not run.
struct DecisionResult {
  std::string ground;            ///< "100mbit 20%"
  std::string decision;          ///< what is decided
  std::string case_name;         ///< in which
  std::string given;             ///< options of both plans
  std::string forbidding;        ///< and of the one without
  std::int64_t node_memory = 0;  ///< bytes; 0: any
  DecidedPlan with, without;
  int samples = 0;  ///< of each
  friend bool operator==(const DecisionResult&, const DecisionResult&) = default;
};

/// So much longer has a plan to take somewhere for want of a decision.
inline constexpr double worth_deciding = 0.10;

/// How much longer the plan without takes, as a fraction: as measured; infinity if it does not fit the memory.
[[nodiscard]] double win_of(const DecisionResult& result);
/// The same as predicted.
[[nodiscard]] double predicted_win_of(const DecisionResult& result);

/// Adds them to decisions.csv in `folder`, which is made if need be; one that is there of the same ground, decision and
/// case is replaced. Throws std::runtime_error if the file cannot be written or is not of this kind.
void write_decisions(const std::filesystem::path& folder, const std::vector<DecisionResult>& results);
/// None if the folder has no such file.
[[nodiscard]] std::vector<DecisionResult> read_decisions(const std::filesystem::path& folder);

/// Empty if there are none.
[[nodiscard]] std::string decisions_text(const std::vector<DecisionResult>& results);
[[nodiscard]] std::string decisions_section(const std::vector<DecisionResult>& results);

}  // namespace tilewright::regret
