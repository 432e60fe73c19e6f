// tilewright db list: the machines.
#include <fmt/format.h>

#include "db.hpp"

namespace tilewright::command {
namespace {

struct ListedMachine {
  MachineSummary summary;
  std::optional<RunDrift> drift;
};

std::vector<ListedMachine> machines_of(const Store& store) {
  std::vector<ListedMachine> machines;
  for (MachineSummary& summary : store.machines()) {
    const std::optional<RunDrift> drift = known_drift(store, summary.name);
    machines.push_back({std::move(summary), drift});
  }
  return machines;
}

nlohmann::json to_json(const ListedMachine& listed) {
  const MachineSummary& machine = listed.summary;
  const Fingerprint& f = machine.fingerprint;
  return {{"name", machine.name},
          {"host", f.host},
          {"processor", f.processor},
          {"cores_per_node", f.cores_per_node},
          {"memory_per_node", f.memory_per_node},
          {"nodes", f.nodes},
          {"ranks", f.ranks},
          {"mpi", f.mpi},
          {"settings", f.settings},
          {"effort", f.effort},
          {"date", f.date},
          {"source", f.source},
          {"simd", f.simd},
          {"path_cells", machine.path_cells},
          {"operator_cells", machine.operator_cells},
          {"raw_samples", machine.raw_samples},
          {"stale", listed.drift.has_value()},
          {"runs_factor", factor_of(listed.drift)}};
}

void print_machines(const std::vector<ListedMachine>& machines) {
  fmt::print("{:<20} {:<20} {:<21} {:<9} {:>6} {:>6} {:>9} {:>8}\n", "machine", "host", "date", "effort", "ranks",
             "paths", "operators", "samples");
  for (const auto& [m, drift] : machines) {
    fmt::print("{:<20} {:<20} {:<21} {:<9} {:>6} {:>6} {:>9} {:>8}\n", m.name, m.fingerprint.host, m.fingerprint.date,
               m.fingerprint.effort, m.fingerprint.ranks, m.path_cells, m.operator_cells, m.raw_samples);
  }
  for (const auto& [machine, drift] : machines) {
    if (drift) fmt::print("{}\n", warning_of(*drift, machine.name));
  }
}

}  // namespace

int db_list(const DbOptions& options) {
  const std::vector<ListedMachine> machines = machines_of(open(options));
  if (options.format != "json") {
    print_machines(machines);
    return 0;
  }
  nlohmann::json json{{"schema", "tilewright.machines/1"}, {"machines", nlohmann::json::array()}};
  for (const ListedMachine& machine : machines) json["machines"].push_back(to_json(machine));
  // What the environment and older databases have need not be UTF-8, but JSON must be: bytes that are none become
  // U+FFFD.
  fmt::print("{}\n", json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
  return 0;
}

}  // namespace tilewright::command
