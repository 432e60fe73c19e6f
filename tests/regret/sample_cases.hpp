// Made-up results of many cases, for tests of the report.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "regret/report.hpp"

namespace tilewright::regret::test {

/// Results as a run might bring them: predictions a few per cent off, a few bad cases, habits that lose.
class SampleCases {
 public:
  explicit SampleCases(unsigned seed = 1) : random_(seed) {}

  [[nodiscard]] std::vector<CaseResult> make() {
    std::vector<CaseResult> cases;
    const std::string pipelines[] = {"one derivative", "five derivatives", "gradient, threshold, sum",
                                     "chain of three", "bank of 36",       "twenty small filters"};
    for (const auto& [network, share] : std::vector<std::pair<std::string, std::string>>{
             {"100mbit", "2"}, {"100mbit", "20"}, {"1gbit", "2"}, {"1gbit", "20"}, {"shared memory", "100"}}) {
      for (int i = 0; i < 11; ++i) {
        const std::int64_t side = std::int64_t{256} << (i % 4);
        CaseResult result;
        result.id = fmt::format("c{:02}", cases.size() + 1);
        result.pipeline = pipelines[i % 6];
        result.width = i % 3 == 0 ? side * 2 : side;
        result.height = i % 3 == 0 ? side / 2 : side;
        result.max_ranks = network == "shared memory" ? 2 : i % 5 == 0 && network == "100mbit" ? 16 : 8;
        result.network = network;
        result.shares = share;
        result.model = "p3pc";
        fill(result);
        cases.push_back(result);
      }
    }
    return cases;
  }

 private:
  double normal(double deviation) { return std::normal_distribution<double>(0, deviation)(random_); }
  double uniform() { return std::uniform_real_distribution<double>(0, 1)(random_); }
  double some_seconds() { return 0.004 * std::pow(10.0, 3 * uniform()); }

  void fill(CaseResult& result) {
    const double best_s = some_seconds();
    for (int ranks = 1; ranks <= result.max_ranks; ranks *= 2) {
      for (const char* tree : {"oft", "sbt"}) add_plan(result, ranks, tree, best_s);
    }
    const auto best = std::min_element(result.plans.begin(), result.plans.end(),
                                       [](const PlanRow& a, const PlanRow& b) { return a.measured_s < b.measured_s; });
    best->chosen = true;
    result.regret_free = uniform() < 0.6 ? 0 : std::abs(normal(0.03));
    if (uniform() < 0.06) result.regret_free = 0.1 + 0.2 * uniform();
    result.measured_s = best->measured_s * (1 + result.regret_free);
    result.predicted_s = best->predicted_s;
    result.predicted_now_s = result.predicted_s * (1 + normal(0.03));
    for (int ranks = 2; ranks <= result.max_ranks; ranks *= 2) {
      result.fixed.push_back({ranks, uniform() < 0.5 ? 0 : std::abs(normal(0.04))});
      result.regret_fixed += result.fixed.back().regret;
    }
    result.regret_fixed /= static_cast<double>(result.fixed.size());
    result.kendall_tau = 1 - std::abs(normal(0.1));
    add_transfers(result);
    for (const char* habit : {"1xP OFT", "MPI_Dims_create SBT", "MPI_Scatterv row strips", "all nodes"}) {
      const double regret = std::max(-0.03, 0.02 * std::pow(10.0, 2.2 * uniform()) - 0.03);
      result.habits.push_back({habit, best_s * (1 + regret), regret});
    }
    result.baseline_best_s = result.measured_s * (1.15 + normal(0.12));
    result.baseline_best_ranks = 2;
    result.baseline_transfers_s = 0.5 * best_s;
    result.plan_transfers_s = result.baseline_transfers_s * (0.93 + normal(0.05));
    if (result.regret_free > 0.1)
      result.note = "the wire is shared by both scatters, which \"p3pc\" does not know, alas";
  }

  void add_plan(CaseResult& result, int ranks, const char* tree, double best_s) {
    PlanRow plan;
    plan.grid = fmt::format("1x{}", ranks);
    plan.ranks = ranks;
    plan.tree = tree;
    plan.distribution = "scatter";
    plan.measured_s = best_s * (1 + 1.5 * uniform());
    plan.predicted_s = plan.measured_s * (1 + normal(0.07));
    plan.dropped_early = plan.measured_s > 2 * best_s;
    plan.samples = plan.dropped_early ? 2 : 15;
    result.plans.push_back(plan);
  }

  void add_transfers(CaseResult& result) {
    for (const char* operation : {"scatter", "gather", "exchange", "broadcast"}) {
      const double measured_s = some_seconds();
      result.transfers.push_back({operation, "1x4", std::string(operation) == "exchange" ? "" : "sbt",
                                  measured_s * (1 + normal(0.06)), measured_s, 1e6 * measured_s / 0.08});
    }
  }

  std::mt19937 random_;
};

inline std::vector<CaseResult> sample_cases(unsigned seed = 1) {
  return SampleCases(seed).make();
}

}  // namespace tilewright::regret::test
