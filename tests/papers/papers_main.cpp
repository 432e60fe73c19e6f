// papers: the figures of the papers, redone. One process predicts; under mpiexec they are measured, too.
//
//   papers --machine das --ranks 16 --image 1024x1024 p3pc
//   mpiexec -n 2 papers --machine NAME
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>

#include "figures.hpp"
#include "tilewright/benchdb/store.hpp"
#include "tilewright/session/failure.hpp"

namespace {

int ranks_to_predict(int wanted, const tilewright::MachineProfile& profile) {
  constexpr int of_p3pcs_paper = 16;
  if (wanted > 0) return wanted;
  return profile.fingerprint().ranks > 1 ? profile.fingerprint().ranks : of_p3pcs_paper;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace tilewright;
  std::string database, machine, image;
  const std::vector<std::string> known{"p3pc", "computation-models", "lognp", "lognp-packing", "lognp-fft"};
  std::vector<std::string> wanted = known;
  papers::Request request;
  int ranks = 0;
  CLI::App app("The papers' figures, redone");
  app.add_option("--db", database, "database (default as for tilewright)");
  app.add_option("--machine", machine, "whose profile")->required();
  app.add_option(
         "--ranks", ranks,
         "of the predictions, where one process alone makes them (default: as many as the profile was calibrated "
         "with, or 16)")
      ->check(CLI::Range(2, 1 << 20));
  app.add_option("--image", image, "size of the image of floats (default 512x512)");
  app.add_option("--samples", request.samples, "of each measured transfer");
  app.add_option("PAPER", wanted, fmt::format("{} (default: all)", fmt::join(known, ", ")))
      ->check(CLI::IsMember(known));
  CLI11_PARSE(app, argc, argv);
  install_failure_handler();
  Communicator communicator = Communicator::start();
  try {
    if (communicator.is_root())
      request.profile = Store(default_database(database), OpenMode::existing).profile(machine);
    if (!image.empty()) request.image = parse_extent(image);
    request.ranks = papers::measures(communicator) ? communicator.ranks() : ranks_to_predict(ranks, request.profile);
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
