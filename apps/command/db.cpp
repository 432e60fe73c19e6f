// tilewright db: the database of measured machines.
#include "db.hpp"

#include <fmt/format.h>

#include <memory>

#include "subcommand.hpp"
#include "tilewright/benchdb/exchange.hpp"
#include "tilewright/benchdb/simgrid.hpp"
#include "tilewright/calibrate/continuation.hpp"
#include "tilewright/core/error.hpp"
#include "tilewright/core/whole_file.hpp"

namespace tilewright::command {
namespace {

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

int import(const DbOptions& options) {
  const Calibration calibration = read_profile(options.file, options.machine);
  Store store(default_database(options.database), OpenMode::create);
  if (!options.replace) check_no_loss(store, calibration);
  store.save(calibration);
  fmt::print("machine '{}': {} path cells, {} operator cells, {} samples\n", calibration.profile.name(),
             calibration.profile.paths().size(), calibration.profile.operators().size(), calibration.samples.size());
  return 0;
}

int export_profile(const DbOptions& options) {
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

int pin(const DbOptions& options) {
  open(options).pin(options.machine, options.run);
  return 0;
}

int unpin(const DbOptions& options) {
  open(options).unpin(options.machine, options.pipeline);
  return 0;
}

int remove(const DbOptions& options) {
  open(options).remove(options.machine);
  return 0;
}

}  // namespace

Store open(const DbOptions& options) {
  return {default_database(options.database), OpenMode::existing};
}

nlohmann::json factor_of(const std::optional<RunDrift>& drift) {
  return drift ? nlohmann::json(drift->factor) : nlohmann::json();
}

std::optional<RunDrift> known_drift(const Store& store, const std::string& machine) {
  try {
    return drift_of_runs(store.runs_since_refresh(machine));
  } catch (const RuntimeError&) {
    return std::nullopt;
  }
}

void add_db(CLI::App& app, Action& action) {
  auto* db = app.add_subcommand("db", "the database of measured machines");
  db->require_subcommand(1);
  auto options = std::make_shared<DbOptions>();
  const auto add = [&](const char* name, const char* help, int (*function)(const DbOptions&),
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
  add_format_option(*add("list", "list the machines", db_list), options->format);
  auto* show_command = add("show", "show one machine's costs", db_show);
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
  auto* check_command =
      add("check", "look for damage; with a machine, whether its profile still holds", db_check, true);
  check_command->add_option("--machine,MACHINE", options->machine,
                            "a machine on which this runs, under mpiexec as when it was calibrated");
  add_format_option(*check_command, options->format);
  auto* runs_command = add("runs", "list what was run by a machine's profile, and what it took", db_runs);
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
