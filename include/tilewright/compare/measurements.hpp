// What models are compared with: messages and transfers that no calibration has seen.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tilewright/model/machine_profile.hpp"
#include "tilewright/runtime/communicator.hpp"
#include "tilewright/transfers/schedule.hpp"

namespace tilewright {

struct MeasuredMessage {
  int launch = 0;  ///< of the comparison, counted from 0
  PathCell cell;   ///< with its time in a state of the machine that the profile tells of, as long as it was in it
  Estimate of_any_state = {};  ///< from all samples
  std::int64_t in_state = 0;   ///< samples that were taken in that state
  double state_s = 0;          ///< what the empty message takes there and back in it; 0: in that of the profile
  bool operator==(const MeasuredMessage&) const = default;
};

struct MeasuredTransfer {
  int launch = 0;
  TransferSpec spec;
  Estimate time;
  bool operator==(const MeasuredTransfer&) const = default;
};

struct Measurements {
  std::vector<MeasuredMessage> messages;
  std::vector<MeasuredTransfer> transfers;
  std::vector<MeasuredMessage> known;  ///< the profile's own, measured again among the others
  [[nodiscard]] int launches() const;
  /// Those of `other` as later launches.
  void add(const Measurements& other);
  bool operator==(const Measurements&) const = default;
};

/// What a launch of a comparison measures.
struct ComparisonEffort {
  int messages = 120;
  std::uint64_t seed = 1;  ///< of the messages
  double budget_s = 120;
  /// Called on the root: share of the work that is done, 0 to 1, and what is measured now.
  std::function<void(double, const std::string&)> on_progress = nullptr;
};

/// `count` messages whose sizes `profile` has not: log-uniform from 64 bytes to 2 MiB, half of them with the paper's
/// blocks, in all paths and layouts; the others in blocks of 1 to 4096 values, two block lengths to 16 KiB apart, each
/// packing in turn. The same for the same seed.
[[nodiscard]] std::vector<PathCell> held_out_messages(const MachineProfile& profile, int count, std::uint64_t seed);

/// `count` messages that the profile has, of any size but none, or as many as there are: they tell how the machine has
/// changed since. The same for the same seed.
[[nodiscard]] std::vector<PathCell> known_messages(const MachineProfile& profile, int count, std::uint64_t seed);

/// What to tell a user who measures on `nodes` that are not as many as the calibration's; empty if nothing. Messages
/// that are answered go round all partners in a calibration of several nodes: to one partner alone they are others.
[[nodiscard]] std::string note_on_nodes(const Fingerprint& calibrated, int nodes);

/// How grids of all ranks lie on their nodes, where several have as many ranks each; not given else: then all messages
/// cross the wire, or none.
[[nodiscard]] NodeMapping mapping_of(const Communicator& communicator);

/// What to tell a user whose nodes have unlike numbers of ranks, so that no mapping tells which messages of a transfer
/// stay within a node; empty else.
[[nodiscard]] std::string note_on_uneven_nodes(const Communicator& communicator);

/// Transfers of two images to choose from: broadcasts by either tree; scatters and gathers on every grid, by either
/// tree, in every packing; exchanges on every grid, in every packing. All grids lie on nodes as `mapping` says.
[[nodiscard]] std::vector<TransferSpec> transfers_to_compare(int ranks, const NodeMapping& mapping = {});

/// Seconds of the slowest rank, from an instant that all begin at; on the root. Ranks are numbered as the grid's
/// mapping says. One run before does not count. Throws ParameterError if the grid has more ranks than there are, or
/// nodes have fewer than its mapping. Collective. `tilewright compare` does without it: it is for programs that measure
/// transfers of their own choice, as the papers' figures and proofs of performance (tests/papers, tests/performance,
/// tests/regret).
[[nodiscard]] Estimate measure_transfer(const Communicator& communicator, const TransferSpec& spec, int samples);

/// Measures both, on the root; empty elsewhere. `states` are the root's, one or more of the same machine in other
/// states (profiles_of_states()): messages count in the one that the machine is in at first. Collective over 2 ranks or
/// more; throws ParameterError for less.
[[nodiscard]] Measurements measure_for_comparison(const Communicator& communicator,
                                                  const std::vector<MachineProfile>& states,
                                                  const ComparisonEffort& effort);
[[nodiscard]] inline Measurements measure_for_comparison(const Communicator& communicator,
                                                         const MachineProfile& profile,
                                                         const ComparisonEffort& effort) {
  return measure_for_comparison(communicator, std::vector{profile}, effort);
}

}  // namespace tilewright
