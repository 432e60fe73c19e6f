#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "figures.hpp"
#include "packing.hpp"
#include "packing_costs.hpp"
#include "tilewright/calibrate/messages.hpp"
#include "tilewright/core/statistics.hpp"
#include "tilewright/scheduler/cost_model.hpp"

namespace tilewright::papers {
namespace {

/// As a calibration does it, each message has memory of its own until this much has been used.
constexpr std::int64_t rotated_bytes = std::int64_t{16} << 20;
/// Packed in a row for one sample: long enough for the clock.
constexpr std::int64_t sample_bytes = std::int64_t{4} << 20;

/// Doubles at the paper's strides, and longer blocks.
std::vector<BlockShape> shapes() {
  std::vector<BlockShape> all;
  for (const std::int64_t bytes : {1024, 4096, 16384, 65536}) {
    for (const std::int64_t stride : {16, 64, 256, 1024}) all.push_back({bytes, 8, stride});
    for (const std::int64_t stride : {128, 1024}) all.push_back({bytes, 64, stride});
    for (const std::int64_t stride : {1024, 4096}) all.push_back({bytes, 512, stride});
  }
  return all;
}

/// Strided memory that is packed and unpacked by the runtime's own functions.
class PackingBench {
 public:
  /// Median seconds of packing, or of unpacking, a message of that shape.
  template <class Copy>
  double seconds(const BlockShape& shape, int samples, Copy copy) {
    std::vector<double> times;
    const std::int64_t repetitions = std::max<std::int64_t>(1, sample_bytes / shape.bytes);
    for (int sample = -1; sample < samples; ++sample) {  // the first does not count
      const auto start = std::chrono::steady_clock::now();
      for (std::int64_t i = 0; i < repetitions; ++i) copy(place(shape, i), packed_.data());
      const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
      if (sample >= 0) times.push_back(taken.count() / static_cast<double>(repetitions));
    }
    return median(times);
  }

 private:
  Block place(const BlockShape& shape, std::int64_t message) {
    const std::int64_t rows = shape.bytes / shape.block_bytes;
    const std::int64_t extent = rows * shape.stride_bytes;
    const std::int64_t places = static_cast<std::int64_t>(memory_.size()) / extent;
    return {memory_.data() + message % places * extent, rows, shape.block_bytes, shape.stride_bytes};
  }
  // Written to, for pages that nobody has written to are all one page of zeros.
  std::vector<std::byte> memory_ = std::vector<std::byte>(rotated_bytes, std::byte{1});
  std::vector<std::byte> packed_ = std::vector<std::byte>(sample_bytes, std::byte{1});
};

struct Times {
  double pack = 0;
  double unpack = 0;
  double half_round_trip = 0;
};

MessageForm form_of(Layout layout, const BlockShape& shape) {
  return {layout, shape.bytes, shape.block_bytes, shape.stride_bytes, shape.stride_bytes};
}

Times predicted(const CostModel& model, const MachineProfile& profile, const BlockShape& shape) {
  const double pack = packing_seconds(model, profile, form_of(Layout::nc, shape));
  const double unpack = packing_seconds(model, profile, form_of(Layout::cn, shape));
  return {pack, unpack, pack + model.message_seconds(Path::full, form_of(Layout::cc, shape)) + unpack};
}

PathCell half_round_trip(const BlockShape& shape, Packing packing) {
  return {Path::full, Layout::nn, shape.bytes, {}, packing, shape.block_bytes, shape.stride_bytes};
}

/// NaN for what was left out, because its samples contradict each other.
double seconds_of(const std::vector<PathCell>& measured, const PathCell& wanted) {
  for (PathCell cell : measured) {
    const double seconds = cell.time.seconds;
    cell.time = {};
    if (cell == wanted) return seconds;
  }
  return std::nan("");
}

Times measured_of(PackingBench& bench, const BlockShape& shape, int samples, const std::vector<PathCell>& messages) {
  return {bench.seconds(shape, samples, [](const Block& block, std::byte* packed) { pack(block, packed); }),
          bench.seconds(shape, samples, [](const Block& block, std::byte* packed) { unpack(packed, block); }),
          seconds_of(messages, half_round_trip(shape, Packing::manual))};
}

/// Relative errors of a model, of what was measured.
class Errors {
 public:
  void add(const Times& said, const Times& measured) {
    const auto keep = [](std::vector<double>& errors, double a, double b) {
      if (b > 0) errors.push_back(std::abs(relative_error(a, b)));
    };
    keep(pack_, said.pack, measured.pack);
    keep(unpack_, said.unpack, measured.unpack);
    keep(half_round_trip_, said.half_round_trip, measured.half_round_trip);
  }
  void print(std::string_view model) const {
    fmt::print("error of {}, median (mean): packing {}, unpacking {}, half round trip {}\n", model, both(pack_),
               both(unpack_), both(half_round_trip_));
  }

 private:
  /// A short message may differ from the empty one by less than they vary, which a mean does not bear.
  static std::string both(const std::vector<double>& errors) {
    return fmt::format("{:.0f} % ({:.0f} %)", 100 * median(errors), 100 * mean(errors));
  }
  std::vector<double> pack_, unpack_, half_round_trip_;
};

std::string three(double measured, double by_log3p, double by_default) {
  return fmt::format("{:.2f} {:.2f} {:.2f}", 1e6 * measured, 1e6 * by_log3p, 1e6 * by_default);
}

void print_gains(const std::vector<double>& gains) {
  if (gains.empty()) return;
  fmt::print("packing by hand gains over derived datatypes: median {:.0f} %, largest {:.0f} %, least {:.0f} %\n",
             100 * median(gains), 100 * quantile(gains, 1), 100 * quantile(gains, 0));
}

/// What the figure compares with; made before anything is measured, for the profile may lack what they need.
struct Models {
  std::unique_ptr<CostModel> log3p;
  std::unique_ptr<CostModel> best;
};

void print_table(const Request& request, const Models& models, const std::vector<PathCell>& messages) {
  const auto& [log3p, best] = models;
  fmt::print(
      "\nlog_nP Fig. 8: packing by hand, microseconds: measured, log_3P, {}\n{:>8} {:>6} {:>7} {:>22} {:>22} "
      "{:>22} {:>10}\n",
      best->name(), "bytes", "block", "stride", "packing", "unpacking", "half round trip", "datatype");
  PackingBench bench;
  Errors log3p_errors, best_errors;
  std::vector<double> gains;
  for (const BlockShape& shape : shapes()) {
    const Times measured = measured_of(bench, shape, request.samples, messages);
    const double by_datatype = seconds_of(messages, half_round_trip(shape, Packing::datatype));
    const Times a = predicted(*log3p, request.profile, shape);
    const Times b = predicted(*best, request.profile, shape);
    log3p_errors.add(a, measured);
    best_errors.add(b, measured);
    if (by_datatype > 0 && measured.half_round_trip > 0) gains.push_back(1 - measured.half_round_trip / by_datatype);
    fmt::print("{:>8} {:>6} {:>7} {:>22} {:>22} {:>22} {:>10.2f}\n", shape.bytes, shape.block_bytes, shape.stride_bytes,
               three(measured.pack, a.pack, b.pack), three(measured.unpack, a.unpack, b.unpack),
               three(measured.half_round_trip, a.half_round_trip, b.half_round_trip), 1e6 * by_datatype);
  }
  log3p_errors.print(log3p->name());
  best_errors.print(best->name());
  print_gains(gains);
}

}  // namespace

void packing_figures(const Request& request, const Communicator& communicator) {
  if (!measures(communicator)) {
    fmt::print("\nlog_nP Fig. 8: start 2 ranks or more, with mpiexec\n");
    return;
  }
  Models models;
  if (communicator.is_root()) {
    models = {make_cost_model("log3p", request.profile), make_cost_model("", request.profile)};
  }
  std::vector<PathCell> cells;
  for (const BlockShape& shape : shapes()) {
    for (const Packing packing : {Packing::datatype, Packing::manual}) {
      cells.push_back(half_round_trip(shape, packing));
    }
  }
  const std::vector<PathCell> measured =
      cells_of(measure_messages(communicator, cells, {.passes = request.samples, .budget_s = 12}));
  if (communicator.is_root()) print_table(request, models, measured);
  communicator.barrier();
}

}  // namespace tilewright::papers
