// What sharing the image is worth: scatters and gathers of row strips, by messages along each tree in each packing and
// through memory that the ranks share, in turns.
//
//   mpiexec -n 2 sharing_benchmark
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <vector>

#include "tilewright/compare/measurements.hpp"
#include "tilewright/core/statistics.hpp"
#include "tilewright/core/units.hpp"
#include "tilewright/session/failure.hpp"

namespace tilewright {
namespace {

struct Options {
  std::vector<std::int64_t> sides = {256, 512, 1024, 2048, 4096};
  std::int64_t halo = 9;
  int columns = 1;
  int rounds = 9;
};

/// One way to make a transfer, and what it took in each round.
struct Way {
  TransferSpec spec;
  std::vector<double> seconds = {};
};

std::vector<Way> ways_of(TransferKind kind, std::int64_t side, const Options& options, int ranks) {
  const ProcessGrid grid{options.columns, ranks / options.columns};
  TransferSpec spec{kind, {}, grid, {{side, side}, {PixelType::f32, 1}}};
  spec.storage = in_cut_directions({options.halo, options.halo}, grid);
  if (kind == TransferKind::scatter) spec.exchanged = spec.storage;
  std::vector<Way> ways;
  for (const Algorithm algorithm : all_algorithms) {
    for (const Packing packing : all_packings) {
      if (algorithm == Algorithm::shared && packing != Packing::datatype) continue;
      spec.algorithm = algorithm;
      spec.packing = packing;
      ways.push_back({spec});
    }
  }
  return ways;
}

void run(TransferKind kind, std::int64_t side, const Options& options, const Communicator& communicator) {
  std::vector<Way> ways = ways_of(kind, side, options, communicator.ranks());
  for (int round = 0; round < options.rounds; ++round) {
    for (Way& way : ways) way.seconds.push_back(measure_transfer(communicator, way.spec, 3).seconds);
  }
  if (!communicator.is_root()) return;
  const auto shared = ways.back();
  const auto best = std::min_element(ways.begin(), ways.end() - 1,
                                     [](const Way& a, const Way& b) { return median(a.seconds) < median(b.seconds); });
  fmt::print("{:<8} {:>5}^2  {:>4} {:<9} {:>10}   shared {:>10}   messages over shared {:.2f}\n", to_string(kind), side,
             to_string(*best->spec.algorithm), to_string(best->spec.packing), format_seconds(median(best->seconds)),
             format_seconds(median(shared.seconds)), median(best->seconds) / median(shared.seconds));
}

}  // namespace
}  // namespace tilewright

int main(int argc, char** argv) {
  using namespace tilewright;
  Options options;
  CLI::App app("What it is worth that ranks of a node share the image, on this machine");
  app.add_option("--sides", options.sides, "of the images, of floats");
  app.add_option("--halo", options.halo, "around tiles, which comes along with a scatter");
  app.add_option("--columns", options.columns, "of the grid; 1: row strips");
  app.add_option("--rounds", options.rounds, "over all ways");
  CLI11_PARSE(app, argc, argv);
  install_failure_handler();
  Communicator communicator = Communicator::start();
  try {
    for (const TransferKind kind : {TransferKind::scatter, TransferKind::gather}) {
      for (const std::int64_t side : options.sides) run(kind, side, options, communicator);
    }
  } catch (const std::exception& error) {
    fail(error);
  }
  communicator.finish();
  return 0;
}
