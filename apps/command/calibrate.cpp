// tilewright calibrate: measures this machine into the database.
#include "tilewright/calibrate/calibrate.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <map>
#include <memory>
#include <optional>
#include <sstream>

#include "subcommand.hpp"
#include "tilewright/benchdb/store.hpp"
#include "tilewright/calibrate/progress_bar.hpp"
#include "tilewright/core/error.hpp"

namespace tilewright::command {
namespace {

struct Options {
  std::string database, machine, effort = "standard";
  std::vector<std::int64_t> sizes;
  std::optional<std::uint64_t> seed;
  bool add = false, afresh = false;
};

constexpr const char* owner_setting = "calibrating";
constexpr const char* measured_setting = "measured_s";

/// Who is at work, and since when it has last been heard of.
std::string owner(const std::string& host) {
  return fmt::format("{} {} {}", host, ::getpid(), std::time(nullptr));
}

/// A calibration elsewhere that has not been heard of for so long is taken for dead.
constexpr std::time_t silence_s = 120;

bool is_at_work(const std::string& setting, const std::string& own_host) {
  std::istringstream text(setting);
  std::string host;
  pid_t process = 0;
  std::time_t heard = 0;
  text >> host >> process >> heard;
  if (host == own_host) return process > 0 && ::kill(process, 0) == 0;
  return std::time(nullptr) - heard < silence_s;
}

std::string setting_of(const Calibration& calibration, const char* name) {
  const auto& settings = calibration.profile.fingerprint().settings;
  const auto found = settings.find(name);
  return found == settings.end() ? std::string() : found->second;
}

int next_launch(const std::vector<RawSample>& samples) {
  int launch = 0;
  for (const RawSample& sample : samples) launch = std::max(launch, sample.launch + 1);
  return launch;
}

/// Goes on with what was interrupted, if it was the same.
void resume(const Calibration& unfinished, CalibrationOptions& options, int ranks) {
  const Fingerprint& fingerprint = unfinished.profile.fingerprint();
  if (fingerprint.effort != to_string(options.effort) || fingerprint.ranks != ranks) return;
  const std::string measured = setting_of(unfinished, measured_setting);
  if (measured.empty()) return;
  options.measured_s = std::stod(measured);
  options.before = unfinished.samples;
  options.launch = std::stoi(setting_of(unfinished, "launches")) - 1;
  fmt::print(stderr,
             "tilewright: goes on after {:.0f} s of a calibration that was interrupted (--afresh: begins anew)\n",
             options.measured_s);
}

/// Root: fills in what the database has from before. Throws ParameterError if another process is at work on it.
void prepare(const Options& options, const Store& store, const Fingerprint& fingerprint,
             CalibrationOptions& calibration_options) {
  const std::string& machine = calibration_options.machine;
  const auto unfinished = store.unfinished(machine);
  if (unfinished && is_at_work(setting_of(*unfinished, owner_setting), fingerprint.host)) {
    throw ParameterError(
        fmt::format("machine '{}' is being calibrated already ({}): wait for its end, or give another "
                    "--machine",
                    machine, setting_of(*unfinished, owner_setting)));
  }
  if (options.add) {
    calibration_options.before = store.samples(machine);
    calibration_options.launch = next_launch(calibration_options.before);
  }
  if (unfinished && !options.afresh) resume(*unfinished, calibration_options, fingerprint.ranks);
}

Calibration with_setting(const Calibration& calibration, const std::map<std::string, std::string>& more) {
  const MachineProfile& profile = calibration.profile;
  Fingerprint fingerprint = profile.fingerprint();
  for (const auto& [name, value] : more) fingerprint.settings[name] = value;
  return {MachineProfile(profile.name(), fingerprint, profile.paths(), profile.operators()), calibration.samples};
}

int run(const Options& options) {
  Communicator communicator = Communicator::start();
  CalibrationOptions calibration_options;
  calibration_options.effort = parse_effort(options.effort);
  const Fingerprint fingerprint = fingerprint_of(communicator);
  calibration_options.machine = options.machine.empty() ? fingerprint.host : options.machine;
  calibration_options.seed = options.seed;
  if (!options.sizes.empty()) calibration_options.sizes = options.sizes;

  std::unique_ptr<Store> store;
  std::unique_ptr<ProgressBar> bar;
  if (communicator.is_root()) {
    store = std::make_unique<Store>(default_database(options.database), OpenMode::create);  // fails before the work
    if (communicator.ranks() == 1) {
      fmt::print(stderr,
                 "tilewright: one rank alone: only operators are measured; for messages start 2 ranks or more "
                 "with mpiexec\n");
    }
    prepare(options, *store, fingerprint, calibration_options);
    bar = std::make_unique<ProgressBar>();
    calibration_options.on_progress = [&](double done, const std::string& what) { bar->show(done, what); };
    calibration_options.on_checkpoint = [&](const Calibration& so_far, double measured_s) {
      store->save_unfinished(with_setting(
          so_far, {{owner_setting, owner(fingerprint.host)}, {measured_setting, fmt::format("{:.1f}", measured_s)}}));
    };
  }
  const Calibration calibration = calibrate(communicator, calibration_options);
  if (communicator.is_root()) {
    bar->finish();
    store->save(calibration);
    fmt::print("machine '{}': {} path cells, {} operator cells, {} samples, in {}\n", calibration.profile.name(),
               calibration.profile.paths().size(), calibration.profile.operators().size(), calibration.samples.size(),
               default_database(options.database).string());
  }
  communicator.finish();
  return 0;
}

}  // namespace

void add_calibrate(CLI::App& app, Action& action) {
  auto* command = app.add_subcommand("calibrate", "measure this machine, under mpiexec with 2 ranks or more");
  auto options = std::make_shared<Options>();
  add_database_option(*command, options->database);
  command->add_option("--machine", options->machine, "name to keep it under (default: this host's name)");
  command->add_option("--effort", options->effort, "quick (at most 20 s), standard (default) or thorough");
  command
      ->add_option("--sizes", options->sizes,
                   "message sizes in 4-byte values, to begin with (default "
                   "0,64,256,512,1024,2048,3072,4096,6144,8192,12288,16384,"
                   "32768,51200,102400,512000); more are added where the time is no straight line between them")
      ->delimiter(',');
  command->add_option("--seed", options->seed,
                      "of the order of the measurements (default: from the clock); it is kept");
  command->add_flag("--add", options->add, "one more launch, beside those that the machine's profile stands on");
  command->add_flag("--afresh", options->afresh, "does not go on with a calibration that was interrupted");
  command->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace tilewright::command
