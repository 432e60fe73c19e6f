#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>

#include "tilewright/calibrate/fit.hpp"
#include "tilewright/calibrate/messages.hpp"
#include "tilewright/calibrate/states.hpp"
#include "tilewright/compare/measurements.hpp"
#include "tilewright/core/error.hpp"
#include "tilewright/model/cell_names.hpp"
#include "tilewright/runtime/common_start.hpp"
#include "tilewright/runtime/schedule_runner.hpp"
#include "tilewright/runtime/shared_memory.hpp"

namespace tilewright {
namespace {

/// Messages get this share of the time, transfers the rest.
constexpr double share_of_messages = 0.5;
constexpr int message_passes = 61;
/// For one of the profile's own messages, so many that it has not.
constexpr int held_out_a_known = 4;
constexpr int fewest_samples = 5;
constexpr int most_samples = 25;

double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// One rank's part of a transfer that is run again and again.
class Transfer {
 public:
  Transfer(const Communicator& communicator, const CommonStart& start, const TransferSpec& spec)
      : communicator_(communicator.numbered_as(spec.grid)), start_(start), schedule_(make_schedule(spec)) {
    const bool takes_part = communicator_.rank() < spec.grid.ranks();
    const bool is_everywhere = spec.kind == TransferKind::broadcast;
    if (spec.algorithm == Algorithm::shared) share();
    if (communicator_.is_root() || is_everywhere) {
      if (whole_.empty()) whole_ = Raster(spec.image);
      buffers_.whole = touched(whole_);
    }
    if (!takes_part || is_everywhere) return;
    tile_ = Raster(schedule_.tiles[static_cast<std::size_t>(communicator_.rank())], spec.storage, spec.image.format);
    buffers_.tile = touched(tile_);
  }

  /// The slowest rank's seconds, on the root. Collective.
  double sample() {
    return start_.slowest_s([&] { run_schedule(schedule_, buffers_, communicator_); });
  }

 private:
  /// The root's image lies where all see it.
  void share() {
    const ImageShape& image = schedule_.spec.image;
    const auto memory = shared_memory(communicator_, image.bytes());
    if (!memory) return;
    shared_ = Raster::placed({memory, memory->data()}, image);
    buffers_.shared = shared_.view();
    if (communicator_.is_root()) whole_ = Raster::placed({memory, memory->data()}, image);
  }

  /// Pages that nobody has written to are all one page of zeros, which is in every cache.
  static MutableView touched(Raster& raster) {
    raster.touch();
    return raster.view();
  }

  const Communicator& communicator_;
  const CommonStart& start_;
  Schedule schedule_;
  Raster shared_;
  Raster whole_;
  Raster tile_;
  ScheduleBuffers buffers_;
};

std::string name_of(const TransferSpec& spec) {
  const std::string tree = spec.algorithm ? fmt::format(" {}", to_string(*spec.algorithm)) : std::string();
  return fmt::format("{}{} {} {}", to_string(spec.kind), tree, to_string(spec.grid), to_string(spec.image.extent));
}

/// In passes over all of them, so that a disturbance is spread over all.
std::vector<MeasuredTransfer> measure_transfers(const Communicator& communicator,
                                                const std::vector<TransferSpec>& specs, double budget_s,
                                                const ComparisonEffort& effort) {
  std::vector<std::vector<double>> samples(specs.size());
  const CommonStart start(communicator);
  const double start_s = now_s();
  for (int pass = 0; pass < most_samples; ++pass) {
    const bool enough = pass >= fewest_samples && now_s() - start_s > budget_s;
    if (communicator.of_root(enough)) break;
    for (std::size_t i = 0; i < specs.size(); ++i) {
      if (communicator.is_root() && effort.on_progress) {
        const double done = std::min(0.99, (now_s() - start_s) / std::max(budget_s, 1e-9));
        effort.on_progress(share_of_messages + (1 - share_of_messages) * done, name_of(specs[i]));
      }
      Transfer transfer(communicator, start, specs[i]);
      (void)transfer.sample();
      samples[i].push_back(transfer.sample());
    }
  }
  std::vector<MeasuredTransfer> measured;
  if (!communicator.is_root()) return measured;
  for (std::size_t i = 0; i < specs.size(); ++i) measured.push_back({0, specs[i], fit(samples[i])});
  return measured;
}

}  // namespace

int Measurements::launches() const {
  int launches = 0;
  for (const MeasuredMessage& message : messages) launches = std::max(launches, message.launch + 1);
  for (const MeasuredTransfer& transfer : transfers) launches = std::max(launches, transfer.launch + 1);
  return launches;
}

void Measurements::add(const Measurements& other) {
  const int before = launches();
  for (MeasuredMessage message : other.messages) {
    message.launch += before;
    messages.push_back(message);
  }
  for (MeasuredMessage message : other.known) {
    message.launch += before;
    known.push_back(message);
  }
  for (MeasuredTransfer transfer : other.transfers) {
    transfer.launch += before;
    transfers.push_back(transfer);
  }
}

Estimate measure_transfer(const Communicator& communicator, const TransferSpec& spec, int samples) {
  if (spec.grid.ranks() > communicator.ranks()) {
    throw ParameterError(fmt::format("a transfer on the grid {} needs {} ranks: start as many with mpiexec",
                                     to_string(spec.grid), spec.grid.ranks()));
  }
  if (spec.algorithm == Algorithm::shared && spec.grid.ranks() > communicator.sharing_ranks()) {
    throw ParameterError(fmt::format("{} ranks share memory, not the {} of the grid {}", communicator.sharing_ranks(),
                                     spec.grid.ranks(), to_string(spec.grid)));
  }
  const CommonStart start(communicator);
  Transfer transfer(communicator, start, spec);
  (void)transfer.sample();
  std::vector<double> seconds;
  for (int i = 0; i < std::max(1, samples); ++i) seconds.push_back(transfer.sample());
  return communicator.is_root() ? fit(seconds) : Estimate{};
}

Measurements measure_for_comparison(const Communicator& communicator, const std::vector<MachineProfile>& states,
                                    const ComparisonEffort& effort) {
  const double present_s = present_state(communicator);
  std::vector<PathCell> cells;
  std::set<std::string> known;
  double state_s = 0;
  if (communicator.is_root()) {
    const MachineProfile& profile = nearest_state(states, present_s);
    state_s = state_of(profile);
    cells = held_out_messages(profile, effort.messages, effort.seed);
    for (const PathCell& cell : known_messages(profile, effort.messages / held_out_a_known, effort.seed)) {
      known.insert(cell_name(cell));
      cells.push_back(cell);
    }
  }
  MessageEffort of_messages{message_passes, share_of_messages * effort.budget_s, effort.seed, state_s, {}};
  if (effort.on_progress) {
    of_messages.on_progress = [&](double done, const std::string& what) {
      effort.on_progress(share_of_messages * done, what);
    };
  }
  Measurements measurements;
  for (const TimedMessage& message : measure_messages(communicator, cells, of_messages)) {
    (known.contains(cell_name(message.cell)) ? measurements.known : measurements.messages)
        .push_back({0, message.cell, message.of_any_state, message.in_state, state_s});
  }
  measurements.transfers =
      measure_transfers(communicator, transfers_to_compare(communicator.ranks(), mapping_of(communicator)),
                        (1 - share_of_messages) * effort.budget_s, effort);
  if (communicator.is_root() && effort.on_progress) effort.on_progress(1, "done");
  return measurements;
}

}  // namespace tilewright
