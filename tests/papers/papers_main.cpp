// papers: the figures of the papers, redone. One process predicts; under mpiexec they are measured, too.
//
//   papers --machine das --ranks 16 p3pc
//   mpiexec -n 2 papers --machine NAME
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>

#include "figures.hpp"
#include "tilewright/benchdb/store.hpp"
#include "tilewright/session/failure.hpp"

int main(int argc, char** argv) {
  using namespace tilewright;
  std::string database, machine;
  const std::vector<std::string> known{"p3pc", "computation-models", "lognp", "lognp-packing", "lognp-fft"};
  std::vector<std::string> wanted = known;
  papers::Request request;
  int ranks = 0;
  CLI::App app("The papers' figures, redone");
  app.add_option("--db", database, "database (default as for tilewright)");
  app.add_option("--machine", machine, "whose profile")->required();
  app.add_option("--ranks", ranks, "of the predictions, where one process alone makes them");
  app.add_option("--samples", request.samples, "of each measured transfer");
  app.add_option("PAPER", wanted, fmt::format("{} (default: all)", fmt::join(known, ", ")))
      ->check(CLI::IsMember(known));
  CLI11_PARSE(app, argc, argv);
  install_failure_handler();
  Communicator communicator = Communicator::start();
  try {
    if (communicator.is_root()) request.profile = Store(default_database(database), OpenMode::read).profile(machine);
    request.ranks = papers::measures(communicator) || ranks == 0 ? communicator.ranks() : ranks;
    for (const std::string& paper : wanted) {
      if (paper == "p3pc") papers::p3pc_figures(request, communicator);
      if (paper == "computation-models") papers::computation_models_figures(request, communicator);
      if (paper == "lognp") papers::log_np_figures(request, communicator);
      if (paper == "lognp-packing") papers::packing_figures(request, communicator);
      if (paper == "lognp-fft") papers::fft_figures(request, communicator);
    }
  } catch (const std::exception& error) {
    fail(error);
  }
  communicator.finish();
  return 0;
}
