// figure11: P-3PC's Fig. 11 on this cluster. Scatter and gather of 512x512 floats as 1xP and Px1 by OFT and SBT, and
// the border exchange of derivatives up to second order at scales 1, 3 and 5: measured, and as P-3PC, the
// default model and LogGP* predict it.
//
//   cluster.sh run 8 figure11 --machine NAME
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "tilewright/benchdb/store.hpp"
#include "tilewright/compare/measurements.hpp"
#include "tilewright/imgops/gaussian.hpp"
#include "tilewright/scheduler/cost_model.hpp"
#include "tilewright/session/failure.hpp"

namespace tilewright::regret {
namespace {

struct Options {
  std::string database, machine;
  std::int64_t side = 512;
  int samples = 15;
  std::string packing = "datatype";
};

struct Row {
  std::string name;
  TransferSpec spec;
};

std::vector<Row> rows_of(std::int64_t side, int ranks, Packing packing) {
  const ImageShape image{{side, side}, {PixelType::f32, 1}};
  std::vector<Row> rows;
  for (const TransferKind kind : {TransferKind::scatter, TransferKind::gather}) {
    for (const Algorithm tree : all_trees) {
      for (const ProcessGrid& grid : {ProcessGrid{1, ranks}, ProcessGrid{ranks, 1}}) {
        rows.push_back({fmt::format("{} {} {}", to_string(kind), to_string(tree), to_string(grid)),
                        {.kind = kind, .algorithm = tree, .grid = grid, .image = image}});
      }
    }
  }
  for (const double sigma : {1.0, 3.0, 5.0}) {
    const std::int64_t reach = gaussian_radius(sigma, 2);
    const Halo halo{reach, reach};
    for (const ProcessGrid& grid : {ProcessGrid{1, ranks}, ProcessGrid{ranks, 1}}) {
      rows.push_back(
          {fmt::format("exchange, sigma {} {}", sigma, to_string(grid)),
           {.kind = TransferKind::exchange, .grid = grid, .image = image, .storage = halo, .exchanged = halo}});
    }
  }
  for (Row& row : rows) row.spec.packing = packing;
  return rows;
}

using Models = std::vector<std::unique_ptr<CostModel>>;

/// The paper's, the default, and LogGP*.
Models models_of(const MachineProfile& profile) {
  Models models;
  for (const char* const name : {"p3pc", "", "loggp-star"}) models.push_back(make_cost_model(name, profile));
  return models;
}

void print_head(const Models& models) {
  fmt::print("{:28} {:>15}", "", "measured ms");
  for (const auto& model : models) fmt::print(" {:>15}", fmt::format("{} ms", model->name()));
  fmt::print("\n");
}

void print_row(const Row& row, double seconds, const Models& models) {
  fmt::print("{:28} {:15.2f}", row.name, 1e3 * seconds);
  const Schedule schedule = make_schedule(row.spec);
  for (const auto& model : models) fmt::print(" {:15.2f}", 1e3 * model->transfer_seconds(schedule));
  fmt::print("  {}\n", why_infeasible(row.spec.image.extent, row.spec.grid, row.spec.exchanged));
  std::fflush(stdout);
}

void print_table(const Options& options, const Communicator& communicator) {
  MachineProfile profile;
  Models models;
  if (communicator.is_root()) {
    profile = Store(default_database(options.database), OpenMode::existing).profile(options.machine);
    models = models_of(profile);
    print_head(models);
  }
  for (const Row& row : rows_of(options.side, communicator.ranks(), parse_packing(options.packing))) {
    const double seconds = measure_transfer(communicator, row.spec, options.samples).seconds;
    if (communicator.is_root()) print_row(row, seconds, models);
  }
}

}  // namespace
}  // namespace tilewright::regret

int main(int argc, char** argv) {
  using namespace tilewright;
  regret::Options options;
  CLI::App app("P-3PC's Fig. 11 on this cluster");
  app.add_option("--db", options.database, "database (default as for tilewright)");
  app.add_option("--machine", options.machine, "profile of the ranks that this runs on")->required();
  app.add_option("--side", options.side, "of the image, in pixels");
  app.add_option("--samples", options.samples, "of each transfer; their median is printed");
  app.add_option("--packing", options.packing,
                 "of what is not contiguous: datatype, as in the paper, manual or blocked");
  CLI11_PARSE(app, argc, argv);
  install_failure_handler();
  Communicator communicator = Communicator::start();
  try {
    regret::print_table(options, communicator);
  } catch (const std::exception& error) {
    fail(error);
  }
  communicator.finish();
  return 0;
}
