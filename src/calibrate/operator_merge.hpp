// Puts together what the ranks have measured of the operators.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "marked_samples.hpp"
#include "operator_calibration.hpp"

namespace tilewright {

/// As text, to be sent to the root; read back it is equal.
[[nodiscard]] std::string to_text(const OperatorMeasurement& measurement);
[[nodiscard]] OperatorMeasurement operator_measurement_from(std::string_view text);

/// A cell with the samples that its time is the fit of, as far as they count.
struct MergedSeries {
  OperatorCell cell;
  std::vector<MarkedSample> samples;  ///< a unit
};

/// The cost on a rank that has its node's share of the processor to itself: the processor time that all ranks have
/// seen, times the slowdown of the slowest of them, which a step has to wait for, over the `takers` that share a core.
/// What the root has measured while the others waited takes its own slowdown then, for nobody shares its core: as much
/// longer as the slowest is slower than the root.
/// What waits for files is the root's elapsed time where that is longer, for only the root reads and writes; of parts,
/// which all ranks read at once, the slowest rank's; what several threads share is the root's elapsed time. `by_rank`
/// is in the order of the ranks, with one at least.
[[nodiscard]] std::vector<MergedSeries> merge(const std::vector<OperatorMeasurement>& by_rank, double takers);

/// How many times slower each rank computes than the ranks' common processor times say.
[[nodiscard]] std::vector<double> slowdowns(const std::vector<OperatorMeasurement>& by_rank);

/// The cells of node_pace_cell(): what each node needs, by its slowest rank, for what the slowest node does in a
/// second. `node_of_rank` has the nodes' names. None of one node.
[[nodiscard]] std::vector<MergedSeries> node_paces(const std::vector<OperatorMeasurement>& by_rank,
                                                   const std::vector<std::string>& node_of_rank);

}  // namespace tilewright
