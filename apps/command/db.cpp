// tilewright db: the database of measured machines.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ctime>
#include <iomanip>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

#include "subcommand.hpp"
#include "tilewright/benchdb/exchange.hpp"
#include "tilewright/benchdb/run_drift.hpp"
#include "tilewright/benchdb/simgrid.hpp"
#include "tilewright/benchdb/store.hpp"
#include "tilewright/calibrate/continuation.hpp"
#include "tilewright/calibrate/sentinels.hpp"
#include "tilewright/core/error.hpp"
#include "tilewright/core/units.hpp"
#include "tilewright/core/whole_file.hpp"
#include "tilewright/model/protocol_switches.hpp"

namespace tilewright::command {
namespace {

/// Of messages within a node, as in the names of their cells.
constexpr std::string_view within_prefix = "within/";

struct Options {
  std::string database, machine, file, output, format, pipeline;
  std::int64_t run = 0;
  bool replace = false;
};

Store open(const Options& options) {
  return {default_database(options.database), OpenMode::read};
}

nlohmann::json to_json(const MachineSummary& machine) {
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
          {"raw_samples", machine.raw_samples}};
}

int list(const Options& options) {
  const std::vector<MachineSummary> machines = open(options).machines();
  if (options.format == "json") {
    nlohmann::json json{{"schema", "tilewright.machines/1"}, {"machines", nlohmann::json::array()}};
    for (const MachineSummary& machine : machines) json["machines"].push_back(to_json(machine));
    // What the environment and older databases have need not be UTF-8, but JSON must be: bytes that are none become
    // U+FFFD.
    fmt::print("{}\n", json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
    return 0;
  }
  fmt::print("{:<20} {:<20} {:<21} {:<9} {:>6} {:>6} {:>9} {:>8}\n", "machine", "host", "date", "effort", "ranks",
             "paths", "operators", "samples");
  for (const MachineSummary& m : machines) {
    fmt::print("{:<20} {:<20} {:<21} {:<9} {:>6} {:>6} {:>9} {:>8}\n", m.name, m.fingerprint.host, m.fingerprint.date,
               m.fingerprint.effort, m.fingerprint.ranks, m.path_cells, m.operator_cells, m.raw_samples);
  }
  return 0;
}

std::string per_sample(const Estimate& time) {
  return time.samples == 0 ? std::string("imported")
                           : fmt::format("± {} ({} samples)", format_seconds(time.spread_s), time.samples);
}

/// The paths' names get the prefix.
void print_paths(const MachineProfile& profile, std::string_view prefix) {
  fmt::print("\n{:<17} {:<6} {:>10} {:<8} {:>6} {:>6}  {:>10}  spread\n", "path", "layout", "bytes", "packing", "block",
             "stride", "time");
  for (const PathCell& cell : profile.paths()) {
    if (cell.within_node) continue;
    const auto bytes_or_dash = [](std::int64_t bytes) { return bytes == 0 ? "-" : std::to_string(bytes); };
    fmt::print("{:<17} {:<6} {:>10} {:<8} {:>6} {:>6}  {:>10}  {}\n", fmt::format("{}{}", prefix, to_string(cell.path)),
               to_string(cell.layout), cell.bytes, to_string(cell.packing), bytes_or_dash(cell.block_bytes),
               bytes_or_dash(cell.stride_bytes), format_seconds(cell.time.seconds), per_sample(cell.time));
  }
}

void print_switches(const MachineProfile& profile, std::string_view prefix) {
  for (const ProtocolSwitch& found : protocol_switches(profile)) {
    fmt::print("switch     {}{} {} {}: the time changes by a factor of {:.2f} between {} and {}\n", prefix,
               to_string(found.path), to_string(found.layout), to_string(found.packing), found.factor,
               format_bytes(found.below_bytes), format_bytes(found.above_bytes));
  }
}

/// ", 3 days ago", of an ISO 8601 date in UTC; empty if it is none.
std::string age_of(const std::string& date) {
  std::tm time{};
  std::istringstream text(date);
  text >> std::get_time(&time, "%Y-%m-%dT%H:%M:%S");
  if (text.fail()) return {};
  const double hours = std::difftime(std::time(nullptr), ::timegm(&time)) / 3600;
  if (hours < 0) return {};
  return hours < 48 ? fmt::format(", {:.0f} hours ago", hours) : fmt::format(", {:.0f} days ago", hours / 24);
}

void print_operators(const MachineProfile& profile) {
  fmt::print("\n{:<23} {:<4} {:>9} {:>11} {:>6} {:>8}  {:>12}  spread\n", "operator", "type", "parameter",
             "tile pixels", "ranks", "threads", "ns per value");
  for (const OperatorCell& cell : profile.operators()) {
    if (node_of_pace(cell)) continue;
    fmt::print("{:<23} {:<4} {:>9} {:>11} {:>6} {:>8}  {:>12.4f}  ± {:.4f} ({} samples)\n", cell.key,
               to_string(cell.type), cell.parameter, cell.tile_pixels, cell.ranks, cell.threads,
               cell.time_per_unit.seconds * 1e9, cell.time_per_unit.spread_s * 1e9, cell.time_per_unit.samples);
  }
}

int show(const Options& options) {
  const Store store = open(options);
  const MachineProfile profile = store.profile(options.machine);
  if (options.format == "json") {
    fmt::print("{}\n", write_profile({profile, store.samples(options.machine)}, ProfileFormat::json));
    return 0;
  }
  const Fingerprint& f = profile.fingerprint();
  const auto known = [](const std::string& text) { return text.empty() ? std::string("unknown") : text; };
  fmt::print("machine    {}\nhost       {}\nprocessor  {}\n", profile.name(), known(f.host), known(f.processor));
  fmt::print("cores      {} a node, memory {}\n", f.cores_per_node == 0 ? "unknown" : std::to_string(f.cores_per_node),
             f.memory_per_node == 0 ? "unknown" : format_bytes(f.memory_per_node));
  const std::string by =
      f.ranks == 0 ? "" : fmt::format(" by {} ranks on {} nodes, effort {}", f.ranks, f.nodes, f.effort);
  fmt::print("measured   {}{}{}\nmpi        {}\nvectors    {}\n", known(f.date), age_of(f.date), by, known(f.mpi),
             known(f.simd));
  for (const auto& [name, value] : f.settings) fmt::print("setting    {}={}\n", name, value);
  std::vector<std::string> speeds;
  for (const NodeSpeed& node : profile.node_speeds()) speeds.push_back(fmt::format("{} {:.2f}", node.node, node.speed));
  if (!speeds.empty())
    fmt::print("speeds     {} (times the slowest node's, whose costs these are)\n", fmt::join(speeds, ", "));
  if (!f.source.empty()) fmt::print("source     {}\n", f.source);
  const auto within_nodes = profile.within_nodes();
  print_switches(profile, "");
  if (within_nodes) print_switches(*within_nodes, within_prefix);
  if (profile.has_paths()) print_paths(profile, "");
  if (within_nodes) print_paths(*within_nodes, within_prefix);
  if (profile.has_operators()) print_operators(profile);
  return 0;
}

/// Throws ParameterError if `imported` would replace another calibration.
void check_no_loss(const Store& store, const Calibration& imported) {
  const std::string& name = imported.profile.name();
  const std::string lost = measured_before(store, name);
  if (lost.empty() || (store.profile(name) == imported.profile && store.samples(name) == imported.samples)) return;
  throw ParameterError(
      fmt::format("{}, which this import would replace: give the import another name, keep the other with 'tilewright "
                  "db export', or say --replace",
                  lost));
}

int import(const Options& options) {
  const Calibration calibration = read_profile(options.file, options.machine);
  Store store(default_database(options.database), OpenMode::create);
  if (!options.replace) check_no_loss(store, calibration);
  store.save(calibration);
  fmt::print("machine '{}': {} path cells, {} operator cells, {} samples\n", calibration.profile.name(),
             calibration.profile.paths().size(), calibration.profile.operators().size(), calibration.samples.size());
  return 0;
}

int export_profile(const Options& options) {
  const Store store = open(options);
  const ProfileFormat format = options.format == "json" ? ProfileFormat::json : ProfileFormat::csv;
  const MachineProfile profile = store.profile(options.machine);
  const std::string text = options.format == "simgrid"
                               ? write_simgrid(profile)
                               : write_profile({profile, store.samples(options.machine)}, format);
  if (options.output.empty()) {
    fmt::print("{}", text);
    return 0;
  }
  write_whole(options.output, text);
  return 0;
}

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
  if (evidence.drift) {
    fmt::print("the last {} runs took {:.2f} times as long as predicted\n", evidence.drift->runs,
               evidence.drift->factor);
  }
  const bool stale = evidence.is_stale();
  if (!evidence.nothing_measured.empty()) fmt::print("nothing was compared: {}\n", evidence.nothing_measured);
  if (stale) fmt::print("the profile of '{}' no longer holds: run tilewright calibrate again\n", machine);
  if (!problems.empty() || stale) return;
  fmt::print("no problems{}\n", evidence.nothing_measured.empty() ? "" : " in the file");
}

/// Of the file, and whether the profile of a machine, on which this runs, still holds. Collective.
int check_machine(const Options& options, const Communicator& communicator) {
  std::vector<std::string> problems;
  MachineProfile profile;
  Evidence evidence;
  if (communicator.is_root()) {
    const Store store = open(options);
    problems = store.check();
    profile = store.profile(options.machine);
    evidence.drift = drift_of_runs(store.runs(options.machine));
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
    json["runs_factor"] = evidence.drift ? nlohmann::json(evidence.drift->factor) : nlohmann::json();
    fmt::print("{}\n", json.dump(2));
  } else if (communicator.is_root()) {
    print_check(problems, evidence, options.machine);
  }
  return problems.empty() && !stale ? 0 : 1;
}

/// Of the file; and of a machine, on which this runs, whether its profile still holds: collective if there are ranks.
int check(const Options& options) {
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

void print_runs(const std::vector<StoredRun>& runs, const std::vector<PinnedPlan>& pins) {
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
  if (const auto drift = drift_of_runs(runs)) {
    fmt::print("the last {} runs took {:.2f} times as long as predicted\n", drift->runs, drift->factor);
  }
}

/// All of a machine's, or the plan of one of them.
int runs(const Options& options) {
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
    print_runs(found, store.pins(options.machine));
    return 0;
  }
  nlohmann::json json{{"schema", "tilewright.runs/1"}, {"runs", nlohmann::json::array()}};
  for (const StoredRun& run : found) json["runs"].push_back(to_json(run));
  json["pinned"] = nlohmann::json::array();
  for (const PinnedPlan& pin : store.pins(options.machine)) json["pinned"].push_back(to_json(pin));
  fmt::print("{}\n", json.dump(2));
  return 0;
}

int pin(const Options& options) {
  open(options).pin(options.machine, options.run);
  return 0;
}

int unpin(const Options& options) {
  open(options).unpin(options.machine, options.pipeline);
  return 0;
}

int remove(const Options& options) {
  open(options).remove(options.machine);
  return 0;
}

}  // namespace

void add_db(CLI::App& app, Action& action) {
  auto* db = app.add_subcommand("db", "the database of measured machines");
  db->require_subcommand(1);
  auto options = std::make_shared<Options>();
  const auto add = [&](const char* name, const char* help, int (*function)(const Options&),
                       bool measures_machine = false) {
    auto* command = db->add_subcommand(name, help);
    add_database_option(*command, options->database);
    command->callback([options, &action, function, measures_machine] {
      const Action work = [options, function] { return function(*options); };
      const bool is_for_all_ranks = measures_machine && !options->machine.empty();
      action = is_for_all_ranks ? work : on_first_rank(work);
    });
    return command;
  };
  const auto add_machine = [&](CLI::App* command) {
    command->add_option("--machine,MACHINE", options->machine, "name of the machine")->required();
  };
  add_format_option(*add("list", "list the machines", list), options->format);
  auto* show_command = add("show", "show one machine's costs", show);
  add_machine(show_command);
  add_format_option(*show_command, options->format);
  auto* import_command = add("import", "read a profile from a CSV or JSON file", import);
  import_command->add_option("FILE", options->file, "the file")->required();
  import_command->add_option("--machine", options->machine, "name to keep it under")->required();
  import_command->add_flag("--replace", options->replace, "even if another that was measured here has that name");
  auto* export_command = add("export", "write a profile as CSV or JSON", export_profile);
  add_machine(export_command);
  export_command
      ->add_option("--format", options->format, "csv (default), json, or simgrid: smpi/os, or and ois of a platform")
      ->check(CLI::IsMember({"csv", "json", "simgrid"}));
  export_command->add_option("-o,--output", options->output, "file (default standard output)");
  auto* check_command = add("check", "look for damage; with a machine, whether its profile still holds", check, true);
  check_command->add_option("--machine,MACHINE", options->machine,
                            "a machine on which this runs, under mpiexec as when it was calibrated");
  add_format_option(*check_command, options->format);
  auto* runs_command = add("runs", "list what was run by a machine's profile, and what it took", runs);
  add_machine(runs_command);
  runs_command->add_option("--plan", options->run, "print the plan of this run instead (JSON)");
  add_format_option(*runs_command, options->format);
  auto* pin_command = add("pin", "run a pipeline by the plan of an earlier run from now on", pin);
  add_machine(pin_command);
  pin_command->add_option("RUN", options->run, "its number in 'db runs'")->required();
  auto* unpin_command = add("unpin", "let a pipeline be planned again", unpin);
  add_machine(unpin_command);
  unpin_command->add_option("PIPELINE", options->pipeline, "as 'db runs' names it")->required();
  add_machine(add("remove", "forget a machine", remove));
}

}  // namespace tilewright::command
