// The figures that text and page tell, from the results of the cases.
#pragma once

#include <string>
#include <vector>

#include "report.hpp"
#include "tilewright/core/statistics.hpp"

namespace tilewright::regret {

inline constexpr double regret_to_explain = 0.10;
inline constexpr double prediction_tolerance = 0.10;

/// Cases on one network at one share of a core. Points into the cases that it was made from.
struct Group {
  std::string name;
  std::vector<const CaseResult*> cases;
};
/// By network, then by share.
[[nodiscard]] std::vector<Group> groups_of(const std::vector<CaseResult>& cases);
[[nodiscard]] Group all_of(const std::vector<CaseResult>& cases);

/// What one always does, or the planner: its regret in every case where it is known.
struct Strategy {
  std::string name;
  std::vector<double> regrets;
};
/// The chosen plan, the chosen plan with the ranks given, then the habits in the order of their first appearance.
[[nodiscard]] std::vector<Strategy> strategies_of(const Group& group);
inline constexpr const char* free_strategy = "chosen plan";
inline constexpr const char* fixed_strategy = "chosen plan, ranks given";

/// Predicted against measured.
struct Prediction {
  std::size_t count = 0;
  double mean_error = 0;  ///< of the magnitudes
  double p90_error = 0;
  double share_within = 0;  ///< within prediction_tolerance
  double worst_error = 0;   ///< by magnitude, with its sign
  std::string worst;        ///< what that is
};
[[nodiscard]] Prediction transfer_prediction(const Group& group);
[[nodiscard]] Prediction pipeline_prediction(const Group& group);
/// What is left of its errors when the machine's drift since its calibration is taken out.
[[nodiscard]] Prediction pipeline_prediction_now(const Group& group);

/// Times over those of the hand-written row strips; the mean is the geometric one.
struct Ratios {
  std::size_t count = 0;
  double mean = 0;
  double worst = 0;
  std::string worst_case;
};
[[nodiscard]] Ratios transfer_ratios(const Group& group);
[[nodiscard]] Ratios whole_ratios(const Group& group);
/// NaN if either was not measured.
[[nodiscard]] double transfer_ratio(const CaseResult& result);
[[nodiscard]] double whole_ratio(const CaseResult& result);

struct Ranking {
  std::size_t count = 0;
  double mean_tau = 0;
  double worst_tau = 0;
  std::string worst_case;
};
[[nodiscard]] Ranking ranking_of(const Group& group);

/// What is asked at 100 Mbit/s.
struct Goal {
  std::string what;
  std::string asked;
  std::string found;
  bool known = false;
  bool met = false;
};
[[nodiscard]] std::vector<Goal> goals_of(const std::vector<CaseResult>& cases);

/// The largest of a case's regrets of the chosen plan, ranks free or given.
[[nodiscard]] double largest_regret(const CaseResult& result);
/// Those above regret_to_explain, worst first.
[[nodiscard]] std::vector<const CaseResult*> cases_to_explain(const std::vector<CaseResult>& cases);

[[nodiscard]] bool is_measured(double seconds);
/// Null if none is marked as chosen.
[[nodiscard]] const PlanRow* chosen_plan(const CaseResult& result);
/// Null if none was measured.
[[nodiscard]] const PlanRow* best_plan(const CaseResult& result);

// As people read them; a dash for NaN.
[[nodiscard]] std::string percent_text(double fraction);
/// A round one: "10 %".
[[nodiscard]] std::string limit_text(double fraction);
[[nodiscard]] std::string ratio_text(double ratio);
[[nodiscard]] std::string seconds_text(double seconds);
/// "4 ranks as 2x2, sbt scatter"
[[nodiscard]] std::string plan_text(const PlanRow& plan);
/// "scatter 2x2 sbt"
[[nodiscard]] std::string transfer_text(const TransferRow& transfer);
/// "five derivatives 512x512, at most 8 ranks"
[[nodiscard]] std::string case_text(const CaseResult& result);

}  // namespace tilewright::regret
