#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "distributed_fft.hpp"
#include "figures.hpp"
#include "packing_costs.hpp"
#include "tilewright/core/error.hpp"
#include "tilewright/core/statistics.hpp"
#include "tilewright/runtime/common_start.hpp"
#include "tilewright/scheduler/cost_model.hpp"

namespace tilewright::papers {
namespace {

/// Powers of two, whose planes all begin on the same lines of the cache, and one that is not.
constexpr ArrayExtent arrays[] = {{32, 32, 32}, {64, 64, 64}, {100, 90, 80}, {128, 128, 128}};

/// Seconds, of the slowest rank; the root's.
struct Measured {
  double exchange = 0;
  double computing = 0;
};

Measured measure(const Communicator& communicator, const CommonStart& start, const SerialFft& serial,
                 const ArrayExtent& extent, Packing packing, int samples) {
  DistributedFft fft(communicator, extent);
  Measured measured;
  measured.computing = start.slowest_s([&] { fft.transform_planes(); });
  fft.exchange(packing);
  std::vector<double> seconds;
  for (int i = 0; i < std::max(1, samples); ++i) seconds.push_back(start.slowest_s([&] { fft.exchange(packing); }));
  measured.exchange = median(seconds);
  measured.computing += start.slowest_s([&] { fft.transform_lines(); });
  if (const std::int64_t wrong = serial.wrong_values(fft, fft_tolerance); wrong > 0) {
    throw InternalError(fmt::format(
        "the FFT of {}x{}x{} values with packing {} differs from FFTW's own in {} of the {} "
        "values of rank {}",
        extent.nx, extent.ny, extent.nz, to_string(packing), wrong, fft.lines().size(), communicator.rank()));
  }
  return measured;
}

/// The largest message of the exchange.
TransposeShape shape_of(const ArrayExtent& extent, int ranks, Packing packing) {
  const std::int64_t planes = (extent.nz + ranks - 1) / ranks;
  const std::int64_t points = (extent.plane() + ranks - 1) / ranks;
  const std::int64_t bytes = planes * points * fft_value_bytes;
  const std::int64_t read_together = packing == Packing::blocked ? fft_block_bytes : fft_value_bytes;
  return {ranks,
          {bytes, read_together, extent.plane() * fft_value_bytes},
          {bytes, planes * fft_value_bytes, extent.nz * fft_value_bytes}};
}

using ByPacking = std::array<double, std::size(all_packings)>;

std::string_view fastest(const ByPacking& seconds) {
  return to_string(all_packings[std::min_element(seconds.begin(), seconds.end()) - seconds.begin()]);
}

struct Column {
  std::string_view name;
  ByPacking seconds{};
};

void print_array(const ArrayExtent& extent, const std::vector<Column>& columns, const ByPacking& computing) {
  for (std::size_t i = 0; i < std::size(all_packings); ++i) {
    fmt::print("{:>12} {:>10}", fmt::format("{}x{}x{}", extent.nx, extent.ny, extent.nz), to_string(all_packings[i]));
    for (const Column& column : columns) fmt::print(" {:>12.3f}", 1e3 * column.seconds[i]);
    fmt::print(" {:>12.3f}\n", 1e3 * computing[i]);
  }
  fmt::print("{:>23}", "fastest");
  for (const Column& column : columns) fmt::print(" {:>12}", fastest(column.seconds));
  fmt::print("\n");
}

ByPacking predicted(const CostModel& model, const MachineProfile& profile, const ArrayExtent& extent, int ranks) {
  ByPacking seconds{};
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    seconds[i] = transpose_seconds(model, profile, shape_of(extent, ranks, all_packings[i]), all_packings[i]);
  }
  return seconds;
}

using Models = std::vector<std::unique_ptr<CostModel>>;

void one_array(const Request& request, const Models& models, const Communicator& communicator, const CommonStart& start,
               const ArrayExtent& extent) {
  const SerialFft serial(extent);
  ByPacking exchange{}, computing{};
  for (std::size_t i = 0; i < exchange.size(); ++i) {
    const Measured measured = measure(communicator, start, serial, extent, all_packings[i], request.samples);
    exchange[i] = measured.exchange;
    computing[i] = measured.computing;
  }
  if (!communicator.is_root()) return;
  std::vector<Column> columns{{"measured", exchange}};
  for (const auto& model : models) {
    columns.push_back({model->name(), predicted(*model, request.profile, extent, request.ranks)});
  }
  print_array(extent, columns, computing);
}

/// On the root, which has the profile; before anything is measured, for the profile may lack what they need.
Models models_of(const Request& request) {
  Models models;
  models.push_back(make_cost_model("log3p", request.profile));
  models.push_back(make_cost_model("", request.profile));
  return models;
}

void print_head(const Models& models, int ranks) {
  fmt::print("\nlog_nP Fig. 12: exchange of a 3D FFT on {} ranks, milliseconds\n{:>12} {:>10} {:>12}", ranks, "array",
             "packing", "measured");
  for (const auto& model : models) fmt::print(" {:>12}", model->name());
  fmt::print(" {:>12}\n", "FFTs");
}

}  // namespace

void fft_figures(const Request& request, const Communicator& communicator) {
  if (!measures(communicator)) {
    fmt::print("\nlog_nP Fig. 12: start 2 ranks or more, with mpiexec\n");
    return;
  }
  Models models;
  if (communicator.is_root()) {
    models = models_of(request);
    print_head(models, request.ranks);
  }
  const CommonStart start(communicator);
  for (const ArrayExtent& extent : arrays) one_array(request, models, communicator, start, extent);
  if (communicator.is_root()) fmt::print("all spectra are those of FFTW alone\n");
}

}  // namespace tilewright::papers
