#include "launch_samples.hpp"

#include "tilewright/model/cell_names.hpp"

namespace tilewright {
namespace {

/// What a name says; it is read once for all samples of a cell.
struct NamedCell {
  CellSamples* samples = nullptr;
  bool is_operator = false;
};

/// Tells the replicates of samples, which it is asked in the order in which they were taken.
class ReplicateCounter {
 public:
  Replicate of(const RawSample& sample, bool is_operator) {
    if (is_operator) {
      after_operators_ = true;
      return {sample.launch, 0};
    }
    if (sample.launch != launch_) {
      launch_ = sample.launch;
      go_ = 0;
    } else if (after_operators_) {
      ++go_;
    }
    after_operators_ = false;
    return {launch_, go_};
  }

 private:
  int launch_ = -1;
  int go_ = 0;
  bool after_operators_ = false;
};

/// The moment of the sample; 0 of a cell that no state tells of.
std::size_t moment_of(const RawSample& sample, const std::optional<PathCell>& cell,
                      std::map<LaunchSamples::Place, MachineStates>& all) {
  if (!cell || !is_told_by_state(cell->path)) return 0;
  MachineStates& states = all[{sample.launch, cell->within_node}];
  const std::size_t moment = states.moment();
  if (*cell == message_of_state(cell->within_node)) states.add(sample.seconds);
  return moment;
}

}  // namespace

LaunchSamples::LaunchSamples(const std::vector<RawSample>& samples) {
  ReplicateCounter counter;
  std::map<std::string, NamedCell> names;
  for (const RawSample& sample : samples) {
    const auto [known, is_new] = names.try_emplace(sample.cell);
    NamedCell& cell = known->second;
    if (is_new) {
      cell = {&cells[sample.cell], operator_cell_named(sample.cell).has_value()};
      cell.samples->path = path_cell_named(sample.cell);
    }
    const Replicate replicate = counter.of(sample, cell.is_operator);
    const std::size_t moment = moment_of(sample, cell.samples->path, states);
    cell.samples->launches[sample.launch].push_back({sample.seconds, sample.disturbed, replicate, moment});
  }
}

}  // namespace tilewright
