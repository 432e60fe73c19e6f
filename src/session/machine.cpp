#include "machine.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <filesystem>

#include "agreement.hpp"
#include "tilewright/benchdb/store.hpp"
#include "tilewright/calibrate/calibrate.hpp"
#include "tilewright/calibrate/continuation.hpp"
#include "tilewright/core/error.hpp"

namespace tilewright {
namespace {

std::string host_name() {
  return fingerprint_of(Communicator::alone()).host;
}

/// What the database has for this run; none if it has nothing that would do.
std::optional<MachineProfile> stored_profile(const SessionOptions& options) {
  const std::filesystem::path path = default_database(options.database);
  if (!has_database(path)) {
    if (options.machine.empty()) return std::nullopt;
    throw ParameterError(fmt::format("machine '{}' is unknown: there is no database {}; run tilewright calibrate",
                                     options.machine, path.string()));
  }
  const Store store(path, OpenMode::existing);
  if (!options.machine.empty()) return store.profile(options.machine);
  return store.profile_of_host(host_name());
}

/// A quick calibration that nobody has asked for takes no other's place. Throws ParameterError if it would.
void check_no_loss(const Store& store, const std::string& machine) {
  const std::string lost = measured_before(store, machine);
  if (lost.empty()) return;
  throw ParameterError(
      fmt::format("{}, which it would replace; calibrate with 2 ranks or more under another name (mpiexec -n 2 "
                  "tilewright calibrate --machine NAME), which runs on this host then use",
                  lost));
}

/// Where this run's own calibration is kept, if it can be: on the root.
class Keeping {
 public:
  Keeping(const std::filesystem::path& path, const std::string& machine) : path_(path) {
    try {
      store_.emplace(path, OpenMode::create);
      check_no_loss(*store_, machine);
      claim_.emplace(*store_, machine);
    } catch (const Error& error) {  // the plan can be made all the same
      fmt::print(stderr, "tilewright: warning: this run's calibration will not be kept: {}\n", error.what());
    }
  }

  /// Whether it is there for later runs, as far as can be told before.
  [[nodiscard]] bool can_keep() const { return claim_.has_value(); }

  /// What `tilewright calibrate` has begun stays, to be gone on with.
  void keep(const Calibration& calibration) {
    if (!claim_) return;
    try {
      store_->save(calibration);
      fmt::print(stderr, "tilewright: calibrated; kept as machine '{}' in {}\n", calibration.profile.name(),
                 path_.string());
    } catch (const RuntimeError& error) {
      fmt::print(stderr, "tilewright: warning: the calibration could not be kept: {}\n", error.what());
    }
  }

 private:
  std::filesystem::path path_;
  std::optional<Store> store_;
  std::optional<MachineClaim> claim_;
};

std::optional<MachineProfile> calibrate_now(const SessionOptions& options, const Communicator& communicator) {
  CalibrationOptions calibration_options;
  calibration_options.machine = host_name();
  std::optional<Keeping> keeping;
  if (communicator.is_root()) {
    keeping.emplace(default_database(options.database), calibration_options.machine);
    fmt::print(stderr,
               "tilewright: no profile of this machine that a parallel run can use: calibrating quickly (20 s, up to a "
               "minute over a slow wire; {})\n",
               keeping->can_keep() ? "once" : "again in each such run");
  }
  const Calibration calibration = calibrate(communicator, calibration_options);
  if (!keeping) return std::nullopt;
  keeping->keep(calibration);
  return with_chosen_operators(calibration.profile, options);
}

}  // namespace

MachineProfile with_chosen_operators(const MachineProfile& profile, const SessionOptions& options) {
  if (options.operators_from.empty()) return profile;
  const Store store(default_database(options.database), OpenMode::existing);
  return profile.with_operators_from(store.profile(options.operators_from));
}

MachineProfile profile_for_dry_run(const SessionOptions& options) {
  if (const auto stored = stored_profile(options)) return with_chosen_operators(*stored, options);
  const std::filesystem::path path = default_database(options.database);
  std::vector<std::string> names;
  if (has_database(path)) {
    const Store store(path, OpenMode::existing);
    for (const MachineSummary& machine : store.machines()) names.push_back(machine.name);
    if (names.size() == 1) return with_chosen_operators(store.profile(names.front()), options);
  }
  if (names.empty()) {
    throw ParameterError(
        fmt::format("no machine has been measured yet (database {}): run tilewright calibrate under mpiexec, or import "
                    "a profile with tilewright db import",
                    path.string()));
  }
  throw ParameterError(fmt::format("which machine? This host has no profile of its own; name one with --machine: {}",
                                   fmt::join(names, " ")));
}

std::optional<MachineProfile> profile_for_run(const SessionOptions& options, const Communicator& communicator) {
  std::optional<MachineProfile> profile;
  const std::string decision = root_decides(communicator, [&]() -> std::string {
    profile = stored_profile(options);
    if (profile) profile = with_chosen_operators(*profile, options);
    const bool parallel = communicator.ranks() > 1;
    const bool usable = profile && profile->has_operators() && (profile->has_paths() || !parallel);
    if (usable) return "use";
    if (!options.machine.empty()) {
      throw ParameterError(fmt::format("machine '{}' has no costs of {}: calibrate it{}", options.machine,
                                       profile->has_operators() ? "messages" : "operators",
                                       profile->has_operators() ? " with 2 ranks or more"
                                                                : ", or name another with "
                                                                  "--tw-operators-from"));
    }
    return parallel ? "calibrate" : "none";
  });
  if (decision == "calibrate") return calibrate_now(options, communicator);
  if (decision == "none") profile.reset();
  return profile;
}

}  // namespace tilewright
