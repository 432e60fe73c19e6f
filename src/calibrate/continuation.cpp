#include "tilewright/calibrate/continuation.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <ctime>
#include <fstream>
#include <optional>
#include <set>
#include <sstream>
#include <utility>

#include "launch_settings.hpp"
#include "tilewright/core/error.hpp"

namespace tilewright {
namespace {

constexpr std::int64_t silence_s = 300;

std::string setting_of(const Fingerprint& fingerprint, const std::string& name) {
  const auto found = fingerprint.settings.find(name);
  return found == fingerprint.settings.end() ? std::string() : found->second;
}

std::string difference(const std::string& what, const std::string& before, const std::string& now) {
  const auto known = [](const std::string& text) { return text.empty() ? std::string("not set") : text; };
  return before == now ? "" : fmt::format("{} was {}, and is {}", what, known(before), known(now));
}

std::string difference_of_transport(const Fingerprint& before, const Fingerprint& now) {
  std::set<std::string> names;
  for (const auto* settings : {&before.settings, &now.settings}) {
    for (const auto& [name, value] : *settings) {
      if (name.starts_with(transport_prefix)) names.insert(name);
    }
  }
  for (const std::string& name : names) {
    std::string found = difference(name, setting_of(before, name), setting_of(now, name));
    if (!found.empty()) return found;
  }
  return {};
}

int next_launch(const std::vector<RawSample>& samples) {
  int launch = 0;
  for (const RawSample& sample : samples) launch = std::max(launch, sample.launch + 1);
  return launch;
}

/// What was interrupted must be this very launch.
std::string difference_of_launch(const Fingerprint& before, const Fingerprint& now, const CalibrationOptions& options) {
  std::string found = difference("the effort", before.effort, now.effort);
  if (!found.empty()) return found;
  found =
      difference("the number of launches", setting_of(before, launches_setting), std::to_string(options.launch + 1));
  if (!found.empty() || !options.seed) return found;
  return difference("--seed", seeds_of(before).back(), std::to_string(*options.seed));
}

std::optional<std::uint64_t> seed_in(const std::string& text) {
  std::uint64_t seed = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole ? std::optional(seed) : std::nullopt;
}

void add_to(const Store& store, const Fingerprint& now, CalibrationOptions& options) {
  const Fingerprint before = store.profile(options.machine).fingerprint();
  const std::string found = difference_of_conditions(before, now);
  if (!found.empty()) {
    throw ParameterError(
        fmt::format("machine '{}': {}: launches under other conditions are not put together; give the same, or "
                    "calibrate anew without --add, or under another --machine",
                    options.machine, found));
  }
  options.before = store.samples(options.machine);
  options.launch = next_launch(options.before);
  options.seeds_before = seeds_of(before);
}

std::string resume(const Calibration& unfinished, const Fingerprint& now, CalibrationOptions& options) {
  const Fingerprint& before = unfinished.profile.fingerprint();
  const std::string measured = setting_of(before, measured_setting);
  std::vector<std::string> seeds = seeds_of(before);
  if (measured.empty() || seeds.empty()) return {};
  std::string found = difference_of_launch(before, now, options);
  if (found.empty()) found = difference_of_conditions(before, now);
  if (!found.empty()) return fmt::format("begins anew, not where a calibration was interrupted: {}", found);
  options.measured_s = std::stod(measured);
  options.before = unfinished.samples;
  options.seed = seed_in(seeds.back());
  seeds.pop_back();
  options.seeds_before = std::move(seeds);
  return fmt::format("goes on after {:.0f} s of a calibration that was interrupted (--afresh: begins anew)",
                     options.measured_s);
}

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

/// The boot of this host and the tick since then at which the process began; empty where the system does not tell. Its
/// number alone may be another's by now: numbers are given again, and after each boot the same ones.
std::string start_of(std::int64_t process) {
  const std::string stat = first_line(fmt::format("/proc/{}/stat", process));
  const auto end_of_name = stat.rfind(')');  // which may hold spaces and parentheses
  if (end_of_name == std::string::npos) return {};
  constexpr int fields_after_name = 20;  // proc(5): the name is the second, the start the 22nd
  std::istringstream fields(stat.substr(end_of_name + 1));
  std::string start;
  for (int field = 0; field < fields_after_name; ++field) fields >> start;
  const std::string boot = first_line("/proc/sys/kernel/random/boot_id");
  return fields && !boot.empty() ? boot + "/" + start : std::string();
}

}  // namespace

Calibrator this_calibrator() {
  return {node_name(), ::getpid(), std::time(nullptr), start_of(::getpid())};
}

bool is_at_work(const Calibrator& who) {
  if (who.host != node_name()) return std::time(nullptr) - who.heard_s < silence_s;
  const bool runs = who.process > 0 && (::kill(static_cast<pid_t>(who.process), 0) == 0 || errno == EPERM);
  return runs && who.is_same_process({who.host, who.process, 0, start_of(who.process)});
}

MachineClaim::MachineClaim(Store& store, std::string machine) : store_(store), machine_(std::move(machine)) {
  const auto other = store_.claim(machine_, this_calibrator(), is_at_work);
  if (!other) return;
  throw ParameterError(
      fmt::format("machine '{}' is being calibrated already, by process {} on {}: wait for its end, or give another "
                  "--machine",
                  machine_, other->process, other->host));
}

MachineClaim::~MachineClaim() {
  try {
    store_.release(machine_, this_calibrator());
  } catch (const std::exception&) {  // who is gone is taken for dead
  }
}

void MachineClaim::keep(const Calibration& so_far, double measured_s) {
  const MachineProfile& profile = so_far.profile;
  Fingerprint fingerprint = profile.fingerprint();
  fingerprint.settings[measured_setting] = fmt::format("{:.1f}", measured_s);
  store_.save_unfinished(
      {MachineProfile(machine_, std::move(fingerprint), profile.paths(), profile.operators()), so_far.samples},
      this_calibrator());
}

void MachineClaim::finish(const Calibration& calibration) {
  store_.finish(calibration, this_calibrator());
}

std::string measured_before(const Store& store, const std::string& machine) {
  for (const MachineSummary& known : store.machines()) {
    if (known.name != machine || known.raw_samples == 0) continue;
    return fmt::format("'{}' was measured on {} ({} samples)", machine, known.fingerprint.date, known.raw_samples);
  }
  return {};
}

std::string difference_of_conditions(const Fingerprint& before, const Fingerprint& now) {
  const std::string sizes = setting_of(before, sizes_setting);
  for (const std::string& found : {
           difference("the host", before.host, now.host),
           difference("the number of nodes", std::to_string(before.nodes), std::to_string(now.nodes)),
           difference("the number of ranks", std::to_string(before.ranks), std::to_string(now.ranks)),
           difference("the MPI library", before.mpi, now.mpi),
           difference_of_transport(before, now),
           difference("the vector level", before.simd, now.simd),
           sizes.empty() ? std::string() : difference("--sizes", sizes, setting_of(now, sizes_setting)),
       }) {
    if (!found.empty()) return found;
  }
  return {};
}

std::string continue_from(const Store& store, const Fingerprint& now, const Continuation& wanted,
                          CalibrationOptions& options) {
  if (wanted.add) add_to(store, now, options);
  const auto unfinished = store.unfinished(options.machine);
  return unfinished && !wanted.afresh ? resume(*unfinished, now, options) : std::string();
}

}  // namespace tilewright
