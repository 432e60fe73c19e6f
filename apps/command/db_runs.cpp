// tilewright db runs: what was run by a machine's profile.
#include <fmt/format.h>

#include <algorithm>

#include "db.hpp"
#include "tilewright/core/error.hpp"
#include "tilewright/core/units.hpp"

namespace tilewright::command {
namespace {

nlohmann::json to_json(const StoredRun& run) {
  return {{"run", run.id},
          {"pipeline", run.pipeline},
          {"program", run.program},
          {"date", run.date},
          {"ranks", run.ranks},
          {"grid", run.grid},
          {"predicted_seconds", run.predicted_s ? nlohmann::json(*run.predicted_s) : nlohmann::json()},
          {"measured_seconds", run.measured_s}};
}

nlohmann::json to_json(const PinnedPlan& pin) {
  return {{"pipeline", pin.pipeline}, {"program", pin.program}, {"date", pin.date}};
}

void print_runs(const std::vector<StoredRun>& runs, const std::vector<PinnedPlan>& pins,
                const std::optional<RunDrift>& drift) {
  fmt::print("{:>6} {:<21} {:<24} {:<17} {:>5} {:>7} {:>10} {:>10}\n", "run", "date", "program", "pipeline", "ranks",
             "grid", "predicted", "measured");
  for (const StoredRun& run : runs) {
    fmt::print("{:>6} {:<21} {:<24} {:<17} {:>5} {:>7} {:>10} {:>10}\n", run.id, run.date, run.program, run.pipeline,
               run.ranks, run.grid, run.predicted_s ? format_seconds(*run.predicted_s) : "unknown",
               format_seconds(run.measured_s));
  }
  for (const PinnedPlan& pin : pins) {
    fmt::print("pinned for {} ({}): the plan of a run of {}\n", pin.pipeline, pin.program, pin.date);
  }
  if (drift) fmt::print("{}\n", to_string(*drift));
}

}  // namespace

int db_runs(const DbOptions& options) {
  const Store store = open(options);
  const std::vector<StoredRun> found = store.runs(options.machine);
  if (options.run != 0) {
    const auto run = std::find_if(found.begin(), found.end(), [&](const StoredRun& r) { return r.id == options.run; });
    if (run == found.end()) {
      throw ParameterError(fmt::format("machine '{}' has no run {}", options.machine, options.run));
    }
    fmt::print("{}\n", run->plan);
    return 0;
  }
  if (options.format != "json") {
    print_runs(found, store.pins(options.machine), known_drift(store, options.machine));
    return 0;
  }
  nlohmann::json json{{"schema", "tilewright.runs/1"}, {"runs", nlohmann::json::array()}};
  for (const StoredRun& run : found) json["runs"].push_back(to_json(run));
  json["pinned"] = nlohmann::json::array();
  for (const PinnedPlan& pin : store.pins(options.machine)) json["pinned"].push_back(to_json(pin));
  fmt::print("{}\n", json.dump(2));
  return 0;
}

}  // namespace tilewright::command
