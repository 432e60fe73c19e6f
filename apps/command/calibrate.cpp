// tilewright calibrate: measures this machine into the database.
#include "tilewright/calibrate/calibrate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

#include "../program_options.hpp"
#include "subcommand.hpp"
#include "tilewright/benchdb/store.hpp"
#include "tilewright/calibrate/continuation.hpp"
#include "tilewright/calibrate/progress_bar.hpp"
#include "tilewright/calibrate/refresh.hpp"
#include "tilewright/core/error.hpp"

namespace tilewright::command {
namespace {

struct Options {
  std::string database, effort = "standard";
  std::optional<std::string> machine;
  std::vector<std::int64_t> sizes;
  std::optional<std::uint64_t> seed;
  std::optional<double> budget_s;
  bool add = false, afresh = false, replace = false, refresh = false;
};

/// Throws ParameterError if a profile with messages would be replaced by what one rank measures.
void check_no_loss(const Store& store, const std::string& machine, const Fingerprint& launch) {
  const std::string lost = measured_before(store, machine);
  if (launch.ranks > 1 || lost.empty() || !store.profile(machine).has_paths()) return;
  throw ParameterError(
      fmt::format("{}, messages too, which would be lost, for one rank alone measures operators only: start 2 ranks or "
                  "more with mpiexec, give another --machine, or say --replace",
                  lost));
}

/// What the root keeps of a calibration while it goes on.
class Keeping {
 public:
  /// Fills in what the database has from before. Throws ParameterError if another process is at work on the machine, or
  /// its messages would be lost.
  Keeping(const Options& options, const Fingerprint& launch, CalibrationOptions& calibration_options)
      : store_(default_database(options.database), OpenMode::create),  // fails before the work
        claim_(store_, calibration_options.machine) {
    if (!options.replace) check_no_loss(store_, calibration_options.machine, launch);
    const std::string note = continue_from(store_, launch, {options.add, options.afresh}, calibration_options);
    if (!note.empty()) fmt::print(stderr, "tilewright: {}\n", note);
    calibration_options.on_progress = [this](double done, const std::string& what) { bar_.show(done, what); };
    calibration_options.on_checkpoint = [this](const Calibration& so_far, double measured_s) {
      claim_.keep(so_far, measured_s);
    };
    // Launches of a profile are whole ones.
    if (options.add) return;
    calibration_options.on_round = [this](const Calibration& so_far) { store_.save(so_far); };
  }

  void finish(const Calibration& calibration) {
    bar_.finish();
    claim_.finish(calibration);
  }

 private:
  Store store_;
  MachineClaim claim_;
  ProgressBar bar_;
};

std::string words_on_messages(const MeasuredRefresh& found) {
  if (found.messages == 0) {
    return "messages were not measured again: that takes as many ranks and nodes as it was calibrated with";
  }
  const auto [least, most] = std::ranges::minmax(found.refresh.messages.all());
  std::string text = fmt::format("messages take {:.2f} to {:.2f} times as long", least, most);
  if (found.refresh.exchanges) {
    const auto [quickest, slowest] = std::ranges::minmax(found.refresh.exchanges->all());
    text += fmt::format(", exchanges {:.2f} to {:.2f}", quickest, slowest);
  }
  std::vector<double> copies;
  for (const auto& [row, factors] : found.refresh.sharing.rows) {
    if (is_through_shared_memory(row.path)) copies.insert(copies.end(), factors.begin(), factors.end());
  }
  if (copies.empty()) return text;
  const auto [quickest, slowest] = std::ranges::minmax(copies);
  return text + fmt::format(", copies through shared memory {:.2f} to {:.2f}", quickest, slowest);
}

/// Of the machine's profile, whose cells stay. Collective.
int refresh(const Options& options, const Communicator& communicator) {
  const std::filesystem::path database = default_database(options.database);
  const std::string machine = options.machine.value_or(node_name());
  MachineProfile profile;
  if (communicator.is_root()) profile = Store(database, OpenMode::existing).profile(machine);
  const MeasuredRefresh found = measure_refresh(communicator, profile, refresh_budget_s);
  if (!communicator.is_root()) return 0;
  Store(database, OpenMode::existing).keep_refresh(machine, found.refresh);
  const auto [least, most] = std::minmax_element(found.operators.begin(), found.operators.end(),
                                                 [](const auto& a, const auto& b) { return a.drift() < b.drift(); });
  fmt::print(
      "machine '{}': operators take {:.2f} times as long as calibrated ({:.2f} to {:.2f}), {}: plans count with it\n",
      machine, found.refresh.computing_factor, 1 + least->drift(), 1 + most->drift(), words_on_messages(found));
  return 0;
}

int run(const Options& options, const Communicator& communicator) {
  if (options.machine == "") throw ParameterError("--machine '': the machine needs a name");
  if (options.refresh) return refresh(options, communicator);
  CalibrationOptions calibration_options;
  calibration_options.effort = parse_effort(options.effort);
  calibration_options.budget_s = options.budget_s;
  calibration_options.seed = options.seed;
  if (!options.sizes.empty()) calibration_options.sizes = options.sizes;
  const Fingerprint launch = fingerprint_of(communicator, calibration_options);
  calibration_options.machine = options.machine.value_or(launch.host);

  std::unique_ptr<Keeping> keeping;
  if (communicator.is_root()) {
    if (communicator.ranks() == 1) {
      fmt::print(stderr,
                 "tilewright: one rank alone: only operators are measured; for messages start 2 ranks or more "
                 "with mpiexec\n");
    }
    keeping = std::make_unique<Keeping>(options, launch, calibration_options);
  }
  const Calibration calibration = calibrate(communicator, calibration_options);
  if (communicator.is_root()) {
    keeping->finish(calibration);
    fmt::print("machine '{}': {} path cells, {} operator cells, {} samples, in {}\n", calibration.profile.name(),
               calibration.profile.paths().size(), calibration.profile.operators().size(), calibration.samples.size(),
               default_database(options.database).string());
  }
  return 0;
}

}  // namespace

void add_calibrate(CLI::App& app, Action& action) {
  auto* command = app.add_subcommand("calibrate", "measure this machine, under mpiexec with 2 ranks or more");
  auto options = std::make_shared<Options>();
  add_database_option(*command, options->database);
  command->add_option("--machine", options->machine, "name to keep it under (default: this host's name)");
  command->add_option("--effort", options->effort,
                      "quick (20 s, longer over a slow wire), standard (3 minutes, default) or thorough (until all is "
                      "settled, at most 4 hours)");
  command
      ->add_option("--budget", options->budget_s,
                   "seconds to measure for, instead of the effort's; what plans need is measured once in any case")
      ->check(at_least_zero());
  command
      ->add_option("--sizes", options->sizes,
                   "message sizes in 4-byte values, to begin with (default "
                   "0,16,64,256,512,1024,2048,2176,3072,4096,6144,8192,12288,16384,"
                   "32768,51200,102400,512000); more are added where the time is no straight line between them")
      ->delimiter(',');
  command->add_option("--seed", options->seed,
                      "of the order of the measurements (default: from the clock); that of each launch is kept");
  command->add_flag("--add", options->add,
                    "one more launch under the same conditions, beside those that the machine's profile stands on");
  command->add_flag("--afresh", options->afresh, "does not go on with a calibration that was interrupted");
  command->add_flag("--replace", options->replace,
                    "even by one rank alone, which measures no messages: those of the machine's profile are lost");
  auto* refreshing = command->add_flag("--refresh", options->refresh,
                                       "some seconds: measures a few operators and messages again, and lets the "
                                       "machine's plans count with how fast it is now");
  for (CLI::Option* other : command->get_options()) {
    const bool goes_with_it = other == refreshing || other->check_name("--machine") || other->check_name("--db") ||
                              other->check_name("--help");
    if (!goes_with_it) refreshing->excludes(other);
  }
  command->callback([options, &action] {
    action = [options] { return with_ranks([&](const Communicator& ranks) { return run(*options, ranks); }); };
  });
}

}  // namespace tilewright::command
