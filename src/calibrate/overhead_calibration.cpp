#include "overhead_calibration.hpp"

#include <cstddef>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "disturbance.hpp"
#include "stopwatch.hpp"
#include "tilewright/model/message_overheads.hpp"
#include "tilewright/runtime/reduction_tree.hpp"

namespace tilewright {
namespace {

/// In a round of the operators.
constexpr int samples = 8;
/// Of the processor: long enough for others to fall asleep and for their messages to come, where it is rationed or not.
constexpr double computing_s = 5e-4;

/// So much passes through the caches meanwhile that what messages need has left the nearest, as it has after an
/// operator.
constexpr std::size_t swept_bytes = std::size_t{2} << 20;

double compute(std::span<const double> memory) {
  double sum = 0;
  for (const double end_s = processor_s() + computing_s; processor_s() < end_s;)
    sum = std::accumulate(memory.begin(), memory.end(), sum);
  return sum;
}

class OverheadCalibration {
 public:
  explicit OverheadCalibration(const Communicator& communicator)
      : communicator_(communicator), watch_(switches_of(communicator)) {
    if (communicator.is_root()) memory_.assign(swept_bytes / sizeof(double), 1.0);
  }

  /// Of telling all others, a message.
  OperatorSample sent() {
    double value = computed();
    return timed([&] {
      broadcast_bytes(std::as_writable_bytes(std::span(&value, 1)), communicator_.ranks(), Algorithm::oft,
                      communicator_);
    });
  }

  /// Of hearing all others, a message.
  OperatorSample received() {
    const double value = computed();
    return timed([&] {
      (void)gather_partials(std::as_bytes(std::span(&value, 1)), communicator_.ranks(), Algorithm::oft, communicator_);
    });
  }

 private:
  /// On the root.
  double computed() {
    watch_.begin();
    return communicator_.is_root() ? compute(memory_) : 0;
  }

  template <class Transfer>
  OperatorSample timed(Transfer&& transfer) const {
    const double start_s = now_s();
    const double processor_start_s = processor_s();
    transfer();
    const double messages = communicator_.ranks() - 1;
    const OperatorSample taken{(processor_s() - processor_start_s) / messages, (now_s() - start_s) / messages};
    return {taken.processor_s, taken.elapsed_s, watch_.was_disturbed()};
  }

  const Communicator& communicator_;
  DisturbanceWatch watch_;
  std::vector<double> memory_;
};

}  // namespace

OperatorMeasurement calibrate_overheads(const Communicator& communicator) {
  if (communicator.ranks() == 1) return {};
  std::optional<Rest> rest;
  if (!communicator.is_root()) rest.emplace(communicator);
  OverheadCalibration calibration(communicator);
  OperatorSeries sending{message_overhead_cell(Path::send), false, {}, false};
  OperatorSeries receiving{message_overhead_cell(Path::recv), false, {}, false};
  for (int i = -1; i < samples; ++i) {  // the first one warms up
    const OperatorSample sent = calibration.sent();
    const OperatorSample received = calibration.received();
    if (i < 0) continue;
    sending.samples.push_back(sent);
    receiving.samples.push_back(received);
  }
  if (!communicator.is_root()) return {};
  return {{std::move(sending), std::move(receiving)}, {}, {}};
}

}  // namespace tilewright
