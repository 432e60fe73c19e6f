// What choosing the packing is worth: a scatter of column strips, 1 MiB in blocks of 4 values, with each packing in
// turns, and the one that the cost model chooses.
//
//   mpiexec -n 2 packing_benchmark --machine NAME
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>

#include "tilewright/benchdb/store.hpp"
#include "tilewright/compare/measurements.hpp"
#include "tilewright/core/statistics.hpp"
#include "tilewright/scheduler/cost_model.hpp"
#include "tilewright/session/failure.hpp"

namespace tilewright {
namespace {

struct Options {
  std::string database, machine;
  std::int64_t block_values = 4;
  std::int64_t bytes = 1 << 20;
  int rounds = 15;
};

TransferSpec column_strips(const Options& options, int ranks, Packing packing) {
  const std::int64_t rows = options.bytes / (options.block_values * value_bytes);
  TransferSpec spec{
      TransferKind::scatter, Algorithm::oft, {ranks, 1}, {{options.block_values * ranks, rows}, {PixelType::f32, 1}}};
  spec.packing = packing;
  return spec;
}

void run(const Options& options, const Communicator& communicator) {
  std::map<Packing, std::vector<double>> samples;
  for (int round = 0; round < options.rounds; ++round) {
    for (const Packing packing : all_packings) {
      samples[packing].push_back(
          measure_transfer(communicator, column_strips(options, communicator.ranks(), packing), 3).seconds);
    }
  }
  if (!communicator.is_root()) return;
  const MachineProfile profile = Store(default_database(options.database), OpenMode::existing).profile(options.machine);
  const auto model = make_cost_model("", profile);
  const auto price = [&](Packing packing) {
    return model->transfer_seconds(make_schedule(column_strips(options, communicator.ranks(), packing)));
  };
  const std::vector<Packing> known = model->packings();
  const Packing chosen =
      *std::min_element(known.begin(), known.end(), [&](Packing a, Packing b) { return price(a) < price(b); });
  for (const Packing packing : all_packings) {
    fmt::print("{:<8} measured {:8.3f} ms   predicted {:8.3f} ms{}\n", to_string(packing),
               1e3 * median(samples[packing]), 1e3 * price(packing), packing == chosen ? "   chosen" : "");
  }
  fmt::print("derived datatypes take {:.2f} times as long as what {} chooses\n",
             median(samples[Packing::datatype]) / median(samples[chosen]), model->name());
}

}  // namespace
}  // namespace tilewright

int main(int argc, char** argv) {
  using namespace tilewright;
  Options options;
  CLI::App app("What choosing the packing is worth, on this machine");
  app.add_option("--db", options.database, "database (default as for tilewright)");
  app.add_option("--machine", options.machine, "profile of the ranks that this runs on")->required();
  app.add_option("--block", options.block_values, "values of 4 bytes in a block");
  app.add_option("--bytes", options.bytes, "of a strip");
  app.add_option("--rounds", options.rounds, "over all packings");
  CLI11_PARSE(app, argc, argv);
  install_failure_handler();
  Communicator communicator = Communicator::start();
  try {
    run(options, communicator);
  } catch (const std::exception& error) {
    fail(error);
  }
  communicator.finish();
  return 0;
}
