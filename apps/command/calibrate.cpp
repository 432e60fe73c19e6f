// tilewright calibrate: measures this machine into the database.
#include "tilewright/calibrate/calibrate.hpp"

#include <fmt/format.h>

#include <memory>

#include "subcommand.hpp"
#include "tilewright/benchdb/store.hpp"
#include "tilewright/calibrate/progress_bar.hpp"
#include "tilewright/core/error.hpp"

namespace tilewright::command {
namespace {

struct Options {
  std::string database, machine, effort = "standard";
  std::vector<std::int64_t> sizes;
};

int run(const Options& options) {
  Communicator communicator = Communicator::start();
  CalibrationOptions calibration_options;
  calibration_options.effort = parse_effort(options.effort);
  calibration_options.machine = options.machine.empty() ? fingerprint_of(communicator).host : options.machine;
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
    bar = std::make_unique<ProgressBar>();
    calibration_options.on_progress = [&](double done, const std::string& what) { bar->show(done, what); };
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
                   "message sizes in 4-byte values (default 0,1024,4096,8192,16384,32768,51200,102400,512000)")
      ->delimiter(',');
  command->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace tilewright::command
