#include "run_history.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "tilewright/benchdb/store.hpp"
#include "tilewright/core/date.hpp"
#include "tilewright/core/error.hpp"
#include "tilewright/explain/render.hpp"

namespace tilewright {
namespace {

/// Of a program that plans in a loop.
constexpr std::size_t most_runs_of_a_program = 20;

/// Throws ParameterError if this version cannot read it.
Plan plan_of(const PinnedPlan& pin, const std::string& machine) {
  try {
    return plans_from_json(pin.plan).front();
  } catch (const ParameterError& error) {
    throw ParameterError(
        fmt::format("the plan that is pinned for this pipeline cannot be read ({}): tilewright db unpin {} {}",
                    error.what(), machine, pin.pipeline));
  }
}

}  // namespace

std::string pipeline_name(std::uint64_t hash) {
  return fmt::format("{:016x}", hash);
}

RunHistory::RunHistory(const SessionOptions& options, const std::string& machine, const std::string& program)
    : database_(default_database(options.database)),
      machine_(machine),
      program_(std::filesystem::path(program).filename().string()),
      is_kept_(options.model.empty() && options.operators_from.empty() && options.keeps_runs) {
  if (!has_database(database_)) return;
  const Store store(database_, OpenMode::existing);
  pins_ = store.pins(machine);
  if (!is_kept_) return;
  try {
    drift_ = drift_of_runs(store.runs_since_refresh(machine));
  } catch (const ParameterError&) {  // the profile could not be kept, and nor can what it predicts
    is_kept_ = false;
  } catch (const RuntimeError& error) {
    is_kept_ = false;
    fmt::print(stderr, "tilewright: warning: what the run takes is not kept: {}\n", error.what());
  }
}

const PinnedPlan* RunHistory::pin_of(std::uint64_t pipeline_hash) const {
  const std::string name = pipeline_name(pipeline_hash);
  const auto pin = std::find_if(pins_.begin(), pins_.end(), [&](const PinnedPlan& p) { return p.pipeline == name; });
  return pin == pins_.end() ? nullptr : &*pin;
}

bool RunHistory::has_pinned(std::uint64_t pipeline_hash) const {
  return pin_of(pipeline_hash) != nullptr;
}

std::optional<Plan> RunHistory::pinned(std::uint64_t pipeline_hash, int ranks) const {
  const PinnedPlan* const pin = pin_of(pipeline_hash);
  if (pin == nullptr) return std::nullopt;
  Plan plan = plan_of(*pin, machine_);
  if (plan.ranks > ranks) return std::nullopt;
  for (PlanStep& step : plan.steps) step.measured_seconds.reset();
  plan.notes.push_back(fmt::format("pinned: the plan of a run of {}", pin->date));
  return plan;
}

std::string RunHistory::staleness() const {
  return drift_ ? warning_of(*drift_, machine_) : std::string();
}

void RunHistory::add(const Trace& trace) {
  if (!is_kept_) return;
  Plan plan = trace.plan;
  plan.alternatives.clear();
  plan.node_curve.reset();
  StoredRun run;
  run.pipeline = pipeline_name(plan.pipeline_hash);
  run.program = program_;
  run.date = date_now();
  run.ranks = plan.ranks;
  run.grid = to_string(plan.grid);
  run.predicted_s = plan.predicted_seconds;
  run.measured_s = trace.measured_seconds;
  run.plan = render({std::move(plan)}, PlanFormat::json);
  added_.push_back(std::move(run));
  if (added_.size() > most_runs_of_a_program) added_.pop_front();
}

void RunHistory::keep() {
  // A database for many users, which one of them may only read, is no fault of his.
  if (added_.empty() || ::access(database_.c_str(), W_OK) != 0) return;
  try {
    Store(database_, OpenMode::existing).record_runs(machine_, {added_.begin(), added_.end()});
  } catch (const Error& error) {
    fmt::print(stderr, "tilewright: warning: what the run took could not be kept: {}\n", error.what());
  }
  added_.clear();
}

}  // namespace tilewright
