#include <fmt/format.h>

#include <cmath>

#include "figures.hpp"
#include "tilewright/calibrate/messages.hpp"
#include "tilewright/compare/measurements.hpp"
#include "tilewright/core/units.hpp"
#include "tilewright/scheduler/cost_model.hpp"

namespace tilewright::papers {
namespace {

constexpr std::int64_t element = 8;  // a double, as in the paper

PathCell strided(std::int64_t bytes, std::int64_t stride) {
  if (stride == element) return {Path::full, Layout::cc, bytes, {}};
  return {Path::full, Layout::nn, bytes, {}, Packing::datatype, element, stride};
}

MessageForm form_of(const PathCell& cell) {
  return {cell.layout, cell.bytes, element, cell.stride_bytes, cell.stride_bytes, cell.packing};
}

void strided_messages(const Request& request, const Communicator& communicator) {
  std::vector<PathCell> cells;
  for (const std::int64_t bytes : {1024, 4096, 16384, 65536}) {
    for (const std::int64_t stride : {element, 2 * element, std::int64_t{64}, std::int64_t{256}, std::int64_t{1024}}) {
      cells.push_back(strided(bytes, stride));
    }
  }
  const std::vector<PathCell> measured =
      cells_of(measure_messages(communicator, cells, {.passes = request.samples, .budget_s = 8}));
  if (!communicator.is_root()) return;
  const auto log3p = make_cost_model("log3p", request.profile);
  const auto loggp = make_cost_model("loggp", request.profile);
  fmt::print(
      "\nlog_nP Fig. 7: doubles at a stride, half round trips in microseconds\n{:>8} {:>8} {:>10} {:>10} {:>10}\n",
      "bytes", "stride", "measured", "log_3P", "LogGP");
  double log3p_error = 0, loggp_error = 0;
  for (const PathCell& cell : measured) {
    const double by_log3p = log3p->message_seconds(Path::full, form_of(cell));
    const double by_loggp = loggp->message_seconds(Path::full, form_of(cell));
    log3p_error += std::abs(by_log3p / cell.time.seconds - 1);
    loggp_error += std::abs(by_loggp / cell.time.seconds - 1);
    fmt::print("{:>8} {:>8} {:>10.2f} {:>10.2f} {:>10.2f}\n", cell.bytes,
               cell.layout == Layout::cc ? element : cell.stride_bytes, 1e6 * cell.time.seconds, 1e6 * by_log3p,
               1e6 * by_loggp);
  }
  const auto count = static_cast<double>(measured.size());
  fmt::print("mean error: log_3P {:.1f} %, LogGP {:.1f} %\n", 100 * log3p_error / count, 100 * loggp_error / count);
}

/// From which size on the middleware takes longer than the network, for elements at each stride.
void crossovers(const MachineProfile& profile) {
  const auto log3p = make_cost_model("log3p", profile);
  fmt::print("\nlog_nP Fig. 5 and 6: from which size on o_mw + l_mw is above o_net\n");
  for (const std::int64_t stride :
       {element, std::int64_t{16}, std::int64_t{64}, std::int64_t{256}, std::int64_t{1024}}) {
    std::string found = "never up to 2 MiB";
    for (std::int64_t bytes = 64; bytes <= (2 << 20); bytes *= 2) {
      const MessageForm form = form_of(strided(bytes, stride));
      const double middleware = 2 * log3p->message_seconds(Path::send, form);
      if (middleware <= log3p->message_seconds(Path::full, form) - middleware) continue;
      found = format_bytes(bytes);
      break;
    }
    fmt::print("stride {:>5}: {}\n", stride, found);
  }
}

void broadcasts(const Request& request, const Communicator& communicator) {
  if (communicator.is_root()) {
    fmt::print("\nlog_nP Fig. 10 and 11: broadcasts on {} ranks, microseconds\n{:>8} {:>8} {:>10} {:>10} {:>10}\n",
               request.ranks, "tree", "bytes", "measured", "log_3P", "LogGP");
  }
  for (const Algorithm tree : all_trees) {
    for (const std::int64_t bytes : {4096, 16384, 65536, 262144}) {
      const TransferSpec spec{TransferKind::broadcast, tree, {1, request.ranks}, {{bytes, 1}, {PixelType::u8, 1}}};
      const double seconds = measure_transfer(communicator, spec, request.samples).seconds;
      if (!communicator.is_root()) continue;
      const Schedule schedule = make_schedule(spec);
      fmt::print("{:>8} {:>8} {:>10.1f} {:>10.1f} {:>10.1f}\n", tree == Algorithm::oft ? "linear" : "tree", bytes,
                 1e6 * seconds, 1e6 * make_cost_model("log3p", request.profile)->transfer_seconds(schedule),
                 1e6 * make_cost_model("loggp", request.profile)->transfer_seconds(schedule));
    }
  }
}

}  // namespace

void log_np_figures(const Request& request, const Communicator& communicator) {
  if (!measures(communicator)) {
    fmt::print("\nlog_nP: start 2 ranks or more, with mpiexec\n");
    return;
  }
  strided_messages(request, communicator);
  if (communicator.is_root()) crossovers(request.profile);
  broadcasts(request, communicator);
}

}  // namespace tilewright::papers
