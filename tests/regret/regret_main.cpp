// regret: races plans on the ranks that it is started with, and adds what it finds to a folder.
//
//   cluster.sh run 8 regret --machine NAME --network 100mbit --share 20 --out FOLDER
//
// The machine must have been calibrated on the same cluster: tilewright calibrate --machine NAME.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>

#include "../../src/calibrate/stopwatch.hpp"
#include "decision_race.hpp"
#include "measurement.hpp"
#include "planning.hpp"
#include "tilewright/benchdb/store.hpp"
#include "tilewright/calibrate/progress_bar.hpp"
#include "tilewright/calibrate/refresh.hpp"
#include "tilewright/session/failure.hpp"

namespace tilewright::regret {
namespace {

struct Options {
  std::string database, machine, folder;
  Ground ground;
  bool is_short = false, again = false, decisions = false, refreshes = true;
  double budget_s = 3600;
  std::string decision, pipeline, image = "512x512";
  std::vector<double> sigmas = {3};
  int angles = 36, ranks = 8;
};

/// The case that the command line names, or those of the ground.
std::vector<Case> chosen_cases(const Options& options) {
  if (options.pipeline.empty()) return cases_of(options.ground, options.is_short);
  Case own{
      {.kind = parse_kind(options.pipeline), .sigmas = options.sigmas, .angles = options.angles}, {}, options.ranks};
  char by = 0;
  std::istringstream image(options.image);
  image >> own.image.width >> by >> own.image.height;
  return {own};
}

/// What the folder has already.
std::vector<CaseResult> measured_cases(const Options& options) {
  if (!std::filesystem::exists(std::filesystem::path(options.folder) / "cases.csv")) return {};
  return read_csv(options.folder);
}

/// Without those that the root's folder has already, so that a race which ran out of time goes on where it was.
/// Collective.
std::vector<Case> cases_to_measure(const Options& options, const Communicator& communicator) {
  const bool may_skip = !options.again && options.pipeline.empty();
  std::vector<CaseResult> measured;
  if (communicator.is_root() && may_skip) measured = measured_cases(options);
  std::vector<Case> cases;
  for (const Case& contested : chosen_cases(options)) {
    const bool skipped = std::any_of(measured.begin(), measured.end(), [&](const CaseResult& result) {
      return result.id == case_id(options.ground, contested);
    });
    if (communicator.broadcast(skipped ? "skip" : "") != "skip") cases.push_back(contested);
  }
  return cases;
}

/// Those of the ground, or those of a name.
std::vector<Decision> chosen_decisions(const Options& options) {
  std::vector<Decision> decisions = decisions_of(options.ground);
  if (options.decision.empty()) return decisions;
  std::erase_if(decisions, [&](const Decision& decision) { return decision.name != options.decision; });
  if (decisions.empty()) throw ParameterError(fmt::format("no decision '{}' is tried there", options.decision));
  return decisions;
}

/// Runs decisions, each free and forbidden.
void measure_decisions(const Options& options, const MachineProfile& profile, const Communicator& communicator) {
  ProgressBar bar;
  const std::vector<Decision> decisions = chosen_decisions(options);
  double done = 0;
  for (const Decision& decision : decisions) {
    const DecisionResult result =
        measure_decision(decision, options.folder, options.ground, effort_for(options.ground), profile, communicator,
                         [&](const std::string& what) {
                           bar.show(done / static_cast<double>(decisions.size()), decision.name + ": " + what);
                         });
    ++done;
    if (!communicator.is_root()) continue;
    bar.finish();
    write_decisions(options.folder, {result});
    fmt::print("{}", decisions_text({result}));
    std::fflush(stdout);
  }
}

/// As a job on a machine whose speed changes begins: tilewright calibrate --refresh. Collective.
MachineProfile as_it_is_now(const Options& options, const MachineProfile& profile, const Communicator& communicator) {
  if (!options.refreshes) return profile;
  return profile.with_refresh(measure_refresh(communicator, profile, refresh_budget_s).refresh);
}

void measure_cases(const Options& options, const MachineProfile& profile, const Communicator& communicator) {
  ProgressBar bar;
  const std::vector<Case> cases = cases_to_measure(options, communicator);
  const double start_s = now_s();
  std::size_t done = 0;
  for (const Case& contested : cases) {
    const bool late = now_s() - start_s > options.budget_s;
    if (communicator.broadcast(late ? "late" : "") == "late") break;
    if (contested.max_ranks > communicator.ranks()) continue;
    const CaseResult result = measure_case(
        contested, options.ground, effort_for(options.ground),
        [&] { return as_it_is_now(options, profile, communicator); }, communicator,
        [&](const std::string& what) {
          bar.show(static_cast<double>(done) / static_cast<double>(cases.size()), contested.name() + ": " + what);
        });
    ++done;
    if (!communicator.is_root()) continue;
    bar.finish();
    write_csv(options.folder, {result});
    fmt::print(
        "{}: {} ranks, predicted {:.1f} ms, measured {:.1f} ms, regret {:.1f} %, with ranks fixed {:.1f} %\n",
        result.id,
        std::find_if(result.plans.begin(), result.plans.end(), [](const PlanRow& plan) { return plan.chosen; })->ranks,
        1e3 * result.predicted_s, 1e3 * result.measured_s, 100 * result.regret_free, 100 * result.regret_fixed);
    std::fflush(stdout);
  }
  bar.finish();
  if (communicator.is_root() && done < cases.size()) {
    fmt::print(stderr, "regret: {} of {} cases were measured: the others need more ranks or a longer --budget\n", done,
               cases.size());
  }
}

void measure(const Options& options, const Communicator& started) {
  MachineProfile profile;
  if (started.is_root()) {
    profile = Store(default_database(options.database), OpenMode::existing).profile(options.machine);
  }
  if (options.decisions)
    measure_decisions(options, profile, started);
  else
    measure_cases(options, profile, ranks_to_plan_for({}, &profile, started));
}

}  // namespace
}  // namespace tilewright::regret

int main(int argc, char** argv) {
  using namespace tilewright;
  regret::Options options;
  CLI::App app("Races plans and measures the regret of the chosen one, or what its decisions are worth");
  app.add_option("--db", options.database, "database (default as for tilewright)");
  app.add_option("--machine", options.machine, "profile of the ranks that this runs on")->required();
  app.add_option("--network", options.ground.network, "100mbit, 1gbit or 'shared memory'")->required();
  app.add_option("--share", options.ground.shares,
                 "per cent of a core that a node has; of unequal nodes a list, as in 30,10")
      ->required();
  app.add_option("--out", options.folder, "folder for the CSV files")->required();
  app.add_flag("--again", options.again, "also the cases that the folder has already");
  CLI::Option* const decisions =
      app.add_flag("--decisions", options.decisions, "what each decision is worth: its case, free and forbidden");
  app.add_option("--decision", options.decision, "of these, those of one name")->needs(decisions);
  app.add_flag("--short", options.is_short, "two cases only");
  app.add_flag("!--as-calibrated", options.refreshes, "without a refresh of the profile before each case");
  app.add_option("--budget", options.budget_s, "seconds after which no case is begun");
  app.add_option("--pipeline", options.pipeline, "one case of your own: its pipeline");
  app.add_option("--image", options.image, "of that case: WxH");
  app.add_option("--sigmas", options.sigmas, "of that case: its scales")->delimiter(',');
  app.add_option("--angles", options.angles, "of that case, if it is a bank");
  app.add_option(
      "--ranks", options.ranks,
      "of that case: the most ranks; fewer are raced as well: all counts up to 8, beyond them powers of two and "
      "the neighbours of the chosen count");
  CLI11_PARSE(app, argc, argv);
  install_failure_handler();
  Communicator communicator = Communicator::start();
  try {
    if (communicator.nodes() > 1) options.ground.ranks_per_node = communicator.ranks_per_node();
    regret::measure(options, communicator);
  } catch (const std::exception& error) {
    fail(error);
  }
  communicator.finish();
  return 0;
}
