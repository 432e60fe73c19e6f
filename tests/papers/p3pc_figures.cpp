#include <fmt/format.h>

#include "figures.hpp"
#include "tilewright/compare/measurements.hpp"
#include "tilewright/core/grid.hpp"
#include "tilewright/imgops/gaussian.hpp"
#include "tilewright/scheduler/cost_model.hpp"

namespace tilewright::papers {
namespace {

void print_paths(const MachineProfile& profile) {
  fmt::print("\nP-3PC Fig. 2: milliseconds by path and layout\n{:>10}", "bytes");
  for (const Path path : all_paths) {
    for (const Layout layout : {Layout::cc, Layout::nc, Layout::nn}) {
      fmt::print(" {:>8}", fmt::format("{} {}", to_string(path), to_string(layout)));
    }
  }
  fmt::print("\n");
  for (double bytes = 4096; bytes <= (2 << 20); bytes *= 2) {
    fmt::print("{:>10.0f}", bytes);
    for (const Path path : all_paths) {
      for (const Layout layout : {Layout::cc, Layout::nc, Layout::nn}) {
        fmt::print(" {:>8.3f}", 1e3 * profile.path_seconds(path, layout, bytes));
      }
    }
    fmt::print("\n");
  }
}

void print_row(const std::string& name, const TransferSpec& spec, const Request& request,
               const Communicator& communicator) {
  const double seconds = measures(communicator) ? measure_transfer(communicator, spec, request.samples).seconds : 0;
  if (!communicator.is_root()) return;
  const Schedule schedule = make_schedule(spec);
  fmt::print("{:<28} {:>12} {:>10.3f} {:>10.3f}  {}\n", name,
             measures(communicator) ? fmt::format("{:.3f}", 1e3 * seconds) : "-",
             1e3 * make_cost_model("p3pc", request.profile)->transfer_seconds(schedule),
             1e3 * make_cost_model("loggp-star", request.profile)->transfer_seconds(schedule),
             why_infeasible(spec.image.extent, spec.grid, spec.exchanged));
}

}  // namespace

void p3pc_figures(const Request& request, const Communicator& communicator) {
  if (communicator.is_root()) {
    print_paths(request.profile);
    fmt::print("\nP-3PC Fig. 9 and 10: {} floats on {} ranks, milliseconds\n{:<28} {:>12} {:>10} {:>10}\n",
               to_string(request.image), request.ranks, "", "measured", "P-3PC", "LogGP*");
  }
  const ImageShape image{request.image, {PixelType::f32, 1}};
  for (const TransferKind kind : {TransferKind::scatter, TransferKind::gather}) {
    for (const Algorithm tree : all_trees) {
      for (const ProcessGrid& grid : grids_of(request.ranks)) {
        print_row(fmt::format("{} {} {}", to_string(kind), to_string(tree), to_string(grid)), {kind, tree, grid, image},
                  request, communicator);
      }
    }
  }
  for (const double sigma : {1.0, 3.0, 5.0}) {
    const std::int64_t reach = gaussian_radius(sigma, 2);
    for (const ProcessGrid& grid : grids_of(request.ranks)) {
      const Halo halo{reach, reach};
      const TransferSpec spec{TransferKind::exchange, std::nullopt, grid, image, halo, halo};
      print_row(fmt::format("exchange, sigma {} {}", sigma, to_string(grid)), spec, request, communicator);
    }
  }
}

}  // namespace tilewright::papers
