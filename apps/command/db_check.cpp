// tilewright db check: whether the file is sound, and a profile still holds.
#include <fmt/format.h>

#include <algorithm>

#include "db.hpp"
#include "subcommand.hpp"
#include "tilewright/calibrate/sentinels.hpp"
#include "tilewright/core/units.hpp"

namespace tilewright::command {
namespace {

/// How long the sentinels are measured for.
constexpr double sentinel_budget_s = 6;

nlohmann::json to_json(const Sentinel& sentinel) {
  return {{"cell", sentinel.cell},
          {"seconds_then", sentinel.then.seconds},
          {"seconds_now", sentinel.now.seconds},
          {"drift", sentinel.drift()},
          {"drifted", sentinel.has_drifted()}};
}

/// What tells whether a profile still holds.
struct Evidence {
  std::vector<Sentinel> sentinels;
  std::string nothing_measured;  ///< why, if it was so
  std::optional<RunDrift> drift;

  [[nodiscard]] bool is_stale() const {
    return drift || std::any_of(sentinels.begin(), sentinels.end(), [](const Sentinel& s) { return s.has_drifted(); });
  }
};

void print_check(const std::vector<std::string>& problems, const Evidence& evidence, const std::string& machine) {
  for (const std::string& problem : problems) fmt::print("{}\n", problem);
  for (const Sentinel& s : evidence.sentinels) {
    fmt::print("{:<44} then {:>10}  now {:>10}  {:>+7.1f} %{}\n", s.cell, format_seconds(s.then.seconds),
               format_seconds(s.now.seconds), 100 * s.drift(), s.has_drifted() ? "  drifted" : "");
  }
  if (evidence.drift) fmt::print("{}\n", to_string(*evidence.drift));
  const bool stale = evidence.is_stale();
  if (!evidence.nothing_measured.empty()) fmt::print("nothing was compared: {}\n", evidence.nothing_measured);
  if (stale)
    fmt::print("the profile of '{}' no longer holds: run tilewright calibrate --refresh, or calibrate again\n",
               machine);
  if (!problems.empty() || stale) return;
  fmt::print("no problems{}\n", evidence.nothing_measured.empty() ? "" : " in the file");
}

/// Of the file, and whether the profile of a machine, on which this runs, still holds. Collective.
int check_machine(const DbOptions& options, const Communicator& communicator) {
  std::vector<std::string> problems;
  MachineProfile profile;
  Evidence evidence;
  if (communicator.is_root()) {
    const Store store = open(options);
    problems = store.check();
    profile = store.profile(options.machine);
    evidence.drift = drift_of_runs(store.runs_since_refresh(options.machine));
  }
  evidence.nothing_measured = nothing_to_measure(profile, communicator.ranks());
  if (communicator.of_root(evidence.nothing_measured.empty())) {
    evidence.sentinels = measure_sentinels(communicator, profile, sentinel_budget_s);
  }
  const bool stale = evidence.is_stale();
  if (communicator.is_root() && options.format == "json") {
    nlohmann::json json{{"schema", "tilewright.check/1"}, {"problems", problems}, {"stale", stale}};
    json["sentinels"] = nlohmann::json::array();
    for (const Sentinel& sentinel : evidence.sentinels) json["sentinels"].push_back(to_json(sentinel));
    const std::string& why = evidence.nothing_measured;
    json["nothing_compared"] = why.empty() ? nlohmann::json() : nlohmann::json(why);
    json["runs_factor"] = factor_of(evidence.drift);
    fmt::print("{}\n", json.dump(2));
  } else if (communicator.is_root()) {
    print_check(problems, evidence, options.machine);
  }
  return problems.empty() && !stale ? 0 : 1;
}

}  // namespace

int db_check(const DbOptions& options) {
  if (options.machine.empty()) {
    const std::vector<std::string> problems = open(options).check();
    if (options.format == "json") {
      fmt::print("{}\n", nlohmann::json{{"schema", "tilewright.check/1"}, {"problems", problems}}.dump(2));
    } else {
      print_check(problems, {}, "");
    }
    return problems.empty() ? 0 : 1;
  }
  return with_ranks([&](const Communicator& ranks) { return check_machine(options, ranks); });
}

}  // namespace tilewright::command
