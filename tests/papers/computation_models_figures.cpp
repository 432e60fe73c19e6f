#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "figures.hpp"
#include "tilewright/calibrate/messages.hpp"
#include "tilewright/compare/measurements.hpp"
#include "tilewright/core/error.hpp"
#include "tilewright/scheduler/cost_model.hpp"

namespace tilewright::papers {
namespace {

/// What the two models say of both broadcasts, by the paper's formulas; seconds.
struct Broadcasts {
  double bsp_two_phase = 0;
  double bsp_tree = 0;
  double star_two_phase = 0;
  double star_tree = 0;
};

double parameter(const CostModel& model, std::string_view symbol) {
  for (const ModelParameter& known : model.statement().parameters) {
    if (known.symbol == symbol) return known.value;
  }
  throw InternalError(fmt::format("{} has no {}", model.name(), symbol));
}

Broadcasts broadcasts_of(const MachineProfile& profile, double bytes, int ranks) {
  const auto bsp = make_cost_model("bsp", profile);
  const auto star = make_cost_model("bsp-star", profile);
  const double superstep = parameter(*bsp, "g") * bytes + parameter(*bsp, "L");
  const double star_g = parameter(*star, "g*"), startup = parameter(*star, "s"), star_l = parameter(*star, "L*");
  const double height = std::ceil(std::log2(ranks));
  return {2 * superstep, height * superstep, 2 * (star_g * bytes + startup * ranks + star_l),
          height * (star_g * bytes + startup + star_l)};
}

const char* winner(double two_phase, double tree) {
  return two_phase < tree ? "two-phase" : two_phase > tree ? "tree" : "tie";
}

std::vector<std::int64_t> sizes_of_broadcasts(const Extent& image) {
  std::set<std::int64_t> sizes{static_cast<std::int64_t>(sizeof(float)) * image.pixels()};
  for (std::int64_t bytes = 1024; bytes <= (1 << 20); bytes *= 4) sizes.insert(bytes);
  return {sizes.begin(), sizes.end()};
}

/// Of both broadcasts; seconds.
struct Measured {
  double two_phase = 0;
  double tree = 0;
};

/// The two phases are a scatter of the parts, and a total exchange of them.
Measured measured_broadcasts(const Request& request, const Communicator& communicator, std::int64_t bytes) {
  const std::int64_t part = bytes / request.ranks;
  const TransferSpec tree{
      TransferKind::broadcast, Algorithm::sbt, {1, request.ranks}, {{bytes, 1}, {PixelType::u8, 1}}};
  return {measure_pattern(communicator, Path::one_to_all, part, request.samples).seconds +
              measure_pattern(communicator, Path::all_to_all, part, request.samples).seconds,
          measure_transfer(communicator, tree, request.samples).seconds};
}

std::string milliseconds(double a, double b) {
  return fmt::format("{:.3f} {:.3f}", 1e3 * a, 1e3 * b);
}

void print_broadcasts(std::int64_t bytes, const Broadcasts& said, const std::optional<Measured>& measured) {
  fmt::print("{:>10} {:>22} {:>22} {:>22}  {}, {}, {}\n", bytes,
             measured ? milliseconds(measured->two_phase, measured->tree) : "-",
             milliseconds(said.bsp_two_phase, said.bsp_tree), milliseconds(said.star_two_phase, said.star_tree),
             measured ? winner(measured->two_phase, measured->tree) : "-", winner(said.bsp_two_phase, said.bsp_tree),
             winner(said.star_two_phase, said.star_tree));
}

/// For more ranks than the profile was calibrated with its g, s and L are taken as they are.
void two_broadcasts(const Request& request, const Communicator& communicator) {
  if (communicator.is_root()) {
    fmt::print(
        "\nJuurlink and Rieping, section 2: broadcasts on {} ranks, milliseconds\n{:>10} {:>22} {:>22} {:>22}  {}\n",
        request.ranks, "bytes", "measured 2-phase, tree", "BSP", "BSP*", "faster: measured, BSP, BSP*");
  }
  for (const std::int64_t bytes : sizes_of_broadcasts(request.image)) {
    std::optional<Measured> measured;
    if (measures(communicator)) measured = measured_broadcasts(request, communicator, bytes);
    if (!communicator.is_root()) continue;
    print_broadcasts(bytes, broadcasts_of(request.profile, static_cast<double>(bytes), request.ranks), measured);
  }
}

/// Fig. 1: a total exchange that starts as many messages without data; what buffering (copying) its data takes; the
/// rest.
void parts_of_h_relation(const Request& request, const Communicator& communicator) {
  if (communicator.is_root()) {
    fmt::print("\nFig. 1: a total exchange in milliseconds\n{:>10} {:>10} {:>10} {:>10} {:>10}\n", "h (bytes)", "whole",
               "fixed", "copying", "network");
  }
  const double fixed = measure_pattern(communicator, Path::all_to_all, 0, request.samples).seconds;
  for (const std::int64_t bytes : {1024, 8192, 65536, 262144}) {
    const double whole = measure_pattern(communicator, Path::all_to_all, bytes, request.samples).seconds;
    if (!communicator.is_root()) continue;
    const double messages = request.ranks - 1;
    const double copying =
        2 * messages * request.profile.path_seconds(Path::copy, Layout::cc, static_cast<double>(bytes));
    fmt::print("{:>10} {:>10.3f} {:>10.3f} {:>10.3f} {:>10.3f}\n", static_cast<std::int64_t>(messages) * bytes,
               1e3 * whole, 1e3 * fixed, 1e3 * copying, 1e3 * std::max(0.0, whole - fixed - copying));
  }
}

void local_and_remote(const MachineProfile& profile) {
  fmt::print("\nFig. 2: bandwidth in MB/s\n{:>10} {:>10} {:>10}\n", "bytes", "local", "remote");
  for (double bytes = 4096; bytes <= (2 << 20); bytes *= 4) {
    fmt::print("{:>10.0f} {:>10.0f} {:>10.0f}\n", bytes,
               bytes / profile.path_seconds(Path::copy, Layout::cc, bytes) / 1e6,
               bytes / profile.path_seconds(Path::full, Layout::cc, bytes) / 1e6);
  }
}

void patterns(const Request& request, const Communicator& communicator) {
  if (communicator.is_root()) {
    fmt::print("\nFig. 6: MB/s that the busiest rank sends and receives\n{:>10}", "bytes");
    for (const Path pattern : all_patterns) fmt::print(" {:>18}", to_string(pattern));
    fmt::print("\n");
  }
  for (const std::int64_t bytes : {1024, 8192, 65536, 262144}) {
    if (communicator.is_root()) fmt::print("{:>10}", bytes);
    for (const Path pattern : all_patterns) {
      const double seconds = measure_pattern(communicator, pattern, bytes, request.samples).seconds;
      const bool one_way = pattern == Path::one_to_all || pattern == Path::all_to_one;
      const double moved = (one_way ? 1 : 2) * static_cast<double>((request.ranks - 1) * bytes);
      if (communicator.is_root()) fmt::print(" {:>18.1f}", moved / seconds / 1e6);
    }
    if (communicator.is_root()) fmt::print("\n");
  }
}

}  // namespace

void computation_models_figures(const Request& request, const Communicator& communicator) {
  if (!measures(communicator)) {
    if (!request.profile.has(Path::barrier, Layout::cc)) {
      fmt::print("\nJuurlink and Rieping: machine '{}' has no patterns of all ranks, which BSP needs\n",
                 request.profile.name());
      return;
    }
    two_broadcasts(request, communicator);
    if (request.profile.has(Path::copy, Layout::cc)) local_and_remote(request.profile);
    fmt::print("\nJuurlink and Rieping, Fig. 1 and 6: start 2 ranks or more, with mpiexec\n");
    return;
  }
  two_broadcasts(request, communicator);
  parts_of_h_relation(request, communicator);
  if (communicator.is_root()) local_and_remote(request.profile);
  patterns(request, communicator);
}

}  // namespace tilewright::papers
