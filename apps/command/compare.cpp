// tilewright compare: every cost model against messages and transfers that no calibration has seen.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>

#include "subcommand.hpp"
#include "tilewright/benchdb/store.hpp"
#include "tilewright/calibrate/progress_bar.hpp"
#include "tilewright/calibrate/states.hpp"
#include "tilewright/compare/comparison.hpp"
#include "tilewright/core/error.hpp"
#include "tilewright/core/whole_file.hpp"

namespace tilewright::command {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::string database, machine, keep, format = "text";
  int messages = ComparisonEffort().messages;
  std::uint64_t seed = 1;
  double budget_s = ComparisonEffort().budget_s;
};

/// Earlier launches.
struct Kept {
  std::string machine;
  Measurements measurements;
};

std::optional<Kept> kept(const std::string& path) {
  if (path.empty() || !fs::exists(path)) return std::nullopt;
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  if (!file) throw RuntimeError(fmt::format("cannot read {}", path));
  try {
    return Kept{machine_of(text.str()), measurements_from(text.str())};
  } catch (const ParameterError& error) {
    throw ParameterError(fmt::format("{}: {}", path, error.what()));
  }
}

void print(const Comparison& comparison, const std::string& format) {
  fmt::print("{}", format == "json"   ? to_json(comparison)
                   : format == "html" ? to_html(comparison)
                                      : to_text(comparison));
}

void check(const Options& options, const Communicator& communicator) {
  if (options.messages < 1) throw ParameterError(fmt::format("--messages {}: give 1 or more", options.messages));
  if (!(options.budget_s >= 0)) throw ParameterError(fmt::format("--budget {}: give 0 or more", options.budget_s));
  if (communicator.ranks() == 1 && (options.keep.empty() || !fs::exists(options.keep))) {
    throw ParameterError(
        "one rank alone has nothing to measure: start 2 ranks or more with mpiexec, or give --keep FILE of an earlier "
        "comparison");
  }
}

/// Measurements of two machines in one file would be taken for one machine's.
void check_machine(const Options& options, const Kept& before) {
  if (before.machine == options.machine) return;
  throw ParameterError(
      fmt::format("{} holds measurements of machine '{}', to which none of '{}' are added: give another --keep, or "
                  "report on them from one rank, without mpiexec",
                  options.keep, before.machine, options.machine));
}

void check_profile(const MachineProfile& profile) {
  if (profile.has_paths()) return;
  throw ParameterError(fmt::format(
      "machine '{}' has no costs of messages to compare with: calibrate it with 2 ranks or more", profile.name()));
}

/// What the root reports, and where it is kept.
class Report {
 public:
  /// Throws what measuring would be in vain for.
  Report(const Options& options, bool measures) : options_(options) {
    const Store store(default_database(options.database), OpenMode::existing);
    states_ = profiles_of_states(store.profile(options.machine), store.samples(options.machine));
    check_profile(profile());
    if (measures && !options.keep.empty()) check_writes_whole(options.keep);
    const std::optional<Kept> before = kept(options.keep);
    if (!before) return;
    if (measures) check_machine(options, *before);
    measurements_ = before->measurements;
    keeps_ = before->machine == options.machine;
  }

  [[nodiscard]] const MachineProfile& profile() const { return states_.front(); }
  [[nodiscard]] const std::vector<MachineProfile>& states() const { return states_; }
  [[nodiscard]] int launches() const { return measurements_.launches(); }

  /// What was measured is kept whatever becomes of the comparison.
  void make(const Measurements& measured) {
    measurements_.add(measured);
    if (measured.launches() > 0) keep({profile().name(), measurements_, {}, {}, {}});
    const Comparison comparison = compare(states_, measurements_);
    keep(comparison);
    print(comparison, options_.format);
  }

 private:
  void keep(const Comparison& comparison) const {
    if (keeps_ && !options_.keep.empty()) write_whole(options_.keep, to_json(comparison));
  }

  const Options& options_;
  std::vector<MachineProfile> states_;
  Measurements measurements_;
  bool keeps_ = true;  ///< not what another machine's models say of them
};

Measurements measure(const Options& options, const Communicator& communicator, const Report* report) {
  std::unique_ptr<ProgressBar> bar;
  ComparisonEffort effort{options.messages, options.seed, options.budget_s, {}};
  if (report != nullptr) {
    for (const std::string& note :
         {note_on_nodes(report->profile().fingerprint(), communicator.nodes()), note_on_uneven_nodes(communicator)}) {
      if (!note.empty()) fmt::print(stderr, "tilewright: {}\n", note);
    }
    effort.seed += static_cast<std::uint64_t>(report->launches());  // other messages in each launch
    bar = std::make_unique<ProgressBar>();
    effort.on_progress = [&](double done, const std::string& what) { bar->show(done, what); };
  }
  return measure_for_comparison(communicator, report != nullptr ? report->states() : std::vector<MachineProfile>(),
                                effort);
}

int run(const Options& options, const Communicator& communicator) {
  check(options, communicator);
  const bool measures = communicator.ranks() > 1;
  std::optional<Report> report;
  if (communicator.is_root()) report.emplace(options, measures);
  Measurements measured;
  if (measures) measured = measure(options, communicator, report ? &*report : nullptr);
  if (report) report->make(measured);
  return 0;
}

}  // namespace

void add_compare(CLI::App& app, Action& action) {
  auto* command = app.add_subcommand("compare", "cost models against measurements, under mpiexec with 2 ranks or more");
  auto options = std::make_shared<Options>();
  add_database_option(*command, options->database);
  command->add_option("--machine", options->machine, "whose profile")->required();
  command->add_option("--keep", options->keep,
                      "JSON file that the measurements are added to; one rank reports on what it holds");
  command->add_option("--messages", options->messages, "how many to measure (default 120)");
  command->add_option("--seed", options->seed, "of the messages; each launch that is kept has its own");
  command->add_option("--budget", options->budget_s, "seconds to measure for (default 120)");
  command->add_option("--format", options->format, "text, json or html")
      ->check(CLI::IsMember({"text", "json", "html"}));
  command->callback([options, &action] {
    action = [options] { return with_ranks([&](const Communicator& ranks) { return run(*options, ranks); }); };
  });
}

}  // namespace tilewright::command
