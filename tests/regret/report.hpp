// What the regret runs found: stored as CSV, told as text, shown as one HTML page.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace tilewright::regret {

// Regrets are fractions: 0.02 is 2 %. What was not measured is left out of every figure: a time of 0 or NaN, a regret
// or a Kendall tau of NaN.

struct TransferRow {
  std::string operation;
  std::string grid;
  std::string algorithm;
  double predicted_s = 0;
  double measured_s = 0;
  double bytes = 0;
  friend bool operator==(const TransferRow&, const TransferRow&) = default;
};

struct PlanRow {
  std::string grid;
  int ranks = 1;
  std::string tree;
  std::string distribution;
  double predicted_s = 0;
  double measured_s = 0;
  int samples = 0;
  bool dropped_early = false;  ///< a clear loser, measured only roughly
  bool chosen = false;         ///< the one that the planner took
  friend bool operator==(const PlanRow&, const PlanRow&) = default;
};

/// What always doing the same would have cost.
struct HabitRow {
  std::string habit;
  double measured_s = 0;
  double regret = 0;
  friend bool operator==(const HabitRow&, const HabitRow&) = default;
};

/// The regret of the plan that is chosen when the number of ranks is given.
struct FixedRegret {
  int ranks = 1;
  double regret = 0;
  friend bool operator==(const FixedRegret&, const FixedRegret&) = default;
};

struct CaseResult {
  std::string id;
  std::string pipeline;
  std::int64_t width = 0;
  std::int64_t height = 0;
  int max_ranks = 1;
  std::string network;
  std::string shares = "100";  ///< per cent of a core
  std::string model;
  double regret_free = 0;
  double regret_fixed = 0;  ///< the mean of `fixed`
  std::vector<FixedRegret> fixed;
  double predicted_s = 0;      ///< of the chosen plan
  double predicted_now_s = 0;  ///< the same, if the root computes as fast as it did right after the race
  double measured_s = 0;
  double kendall_tau = 0;
  std::vector<PlanRow> plans;
  std::vector<TransferRow> transfers;
  std::vector<HabitRow> habits;
  double baseline_best_s = 0;
  int baseline_best_ranks = 0;
  double baseline_transfers_s = 0;  ///< at the rank count of the plan that it is compared with
  double plan_transfers_s = 0;
  std::string note;
  friend bool operator==(const CaseResult&, const CaseResult&) = default;
};

/// Adds the cases to cases.csv, plans.csv, transfers.csv and habits.csv in `folder`, which is made if need be; a case
/// that is there under the same id is replaced. Jobs may do so at the same time. Throws std::runtime_error if the
/// folder cannot be written or holds files that are not of this kind, std::invalid_argument if two cases share an id.
void write_csv(const std::filesystem::path& folder, const std::vector<CaseResult>& cases);

/// Exactly what was written, in that order. Throws std::runtime_error, naming file and line, for anything else.
[[nodiscard]] std::vector<CaseResult> read_csv(const std::filesystem::path& folder);

/// The figures by network and share, and every case whose regret is above 10 %.
[[nodiscard]] std::string text_summary(const std::vector<CaseResult>& cases);

/// The same with plots, and before its tables the HTML of `more` sections; needs no other file.
[[nodiscard]] std::string html_page(const std::vector<CaseResult>& cases, const std::string& more = {});

}  // namespace tilewright::regret
