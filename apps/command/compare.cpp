// tilewright compare: every cost model against messages and transfers that no calibration has seen.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>

#include "subcommand.hpp"
#include "tilewright/benchdb/store.hpp"
#include "tilewright/calibrate/progress_bar.hpp"
#include "tilewright/compare/comparison.hpp"
#include "tilewright/core/error.hpp"

namespace tilewright::command {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::string database, machine, keep, format = "text";
  int messages = ComparisonEffort().messages;
  std::uint64_t seed = 1;
  double budget_s = ComparisonEffort().budget_s;
};

Measurements kept(const std::string& path) {
  if (path.empty() || !fs::exists(path)) return {};
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  if (!file) throw RuntimeError(fmt::format("cannot read {}", path));
  try {
    return measurements_from(text.str());
  } catch (const ParameterError& error) {
    throw ParameterError(fmt::format("{}: {}", path, error.what()));
  }
}

/// Whole, or not at all.
void keep(const std::string& path, const Comparison& comparison) {
  const fs::path partial = path + ".partial";
  std::ofstream file(partial, std::ios::trunc);
  file << to_json(comparison);
  file.close();
  std::error_code error;
  if (file) fs::rename(partial, path, error);
  if (!file || error) throw RuntimeError(fmt::format("cannot write {}", path));
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

int run(const Options& options, const Communicator& communicator) {
  check(options, communicator);
  MachineProfile profile;
  Measurements measurements;
  if (communicator.is_root()) {
    profile = Store(default_database(options.database), OpenMode::read).profile(options.machine);
    measurements = kept(options.keep);
  }
  if (communicator.ranks() > 1) {
    const std::string note = communicator.is_root() ? note_on_nodes(profile.fingerprint(), communicator.nodes()) : "";
    if (!note.empty()) fmt::print(stderr, "tilewright: {}\n", note);
    std::unique_ptr<ProgressBar> bar;
    ComparisonEffort effort{options.messages, options.seed, options.budget_s, {}};
    if (communicator.is_root()) {
      effort.seed += static_cast<std::uint64_t>(measurements.launches());  // other messages in each launch
      bar = std::make_unique<ProgressBar>();
      effort.on_progress = [&](double done, const std::string& what) { bar->show(done, what); };
    }
    measurements.add(measure_for_comparison(communicator, profile, effort));
  }
  if (communicator.is_root()) {
    const Comparison comparison = compare(profile, measurements);
    if (!options.keep.empty()) keep(options.keep, comparison);
    print(comparison, options.format);
  }
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
