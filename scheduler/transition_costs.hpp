// What the transitions of a pipeline cost in one configuration.
#pragma once

#include <string>
#include <vector>

#include "halo_depths.hpp"
#include "tilewright/scheduler/planner.hpp"
#include "transition_graph.hpp"

namespace tilewright {

/// One point of the search besides the placements.
struct Configuration {
  int ranks = 1;
  ProcessGrid grid = {};
};

/// A transition that is not possible has infinite seconds and a reason.
struct TransitionCost {
  double seconds = 0;
  bool known = true;            ///< false: the profile lacks the operator's cost, which then counts as 0
  std::string infeasible = {};  ///< the reason
};

/// A transfer with its cheapest packing, or the one that is forced.
struct PackedTransfer {
  Packing packing = Packing::datatype;
  double seconds = 0;
};

/// Prices transitions; keeps what several configurations share.
class TransitionPricer {
 public:
  TransitionPricer(const Pipeline& pipeline, const MachineProfile& profile, const CostModel& model,
                   const SearchSpace& space);

  /// Turns to another configuration.
  void configure(const Configuration& configuration);
  [[nodiscard]] TransitionCost price(const Transition& transition);

  /// The halo with which the tiles of an image are stored.
  [[nodiscard]] Halo storage_halo(int image, int depth) const;
  /// How far beyond its tile an operator computes.
  [[nodiscard]] Halo margin(const Transition& transition) const;

  /// The schedule of a transfer, as it is priced and as the runtime will execute it.
  [[nodiscard]] Schedule schedule(const Transition& transition);
  /// The messages of a reduction: partial results to the root, then the merged one to all, each value one "pixel row".
  [[nodiscard]] std::vector<Schedule> reduction_schedules(const Transition& transition) const;

 private:
  [[nodiscard]] TransferSpec transfer_spec(const Transition& transition) const;
  [[nodiscard]] std::vector<TransferSpec> reduction_specs(const Transition& transition) const;
  [[nodiscard]] PackedTransfer packed(const TransferSpec& spec, const std::vector<Packing>& packings);
  [[nodiscard]] double transfer_seconds(const TransferSpec& spec, const std::vector<Packing>& packings);
  [[nodiscard]] TransitionCost compute(const Transition& transition);
  [[nodiscard]] TransitionCost compute_by_edges(const PipelineImage& image) const;
  [[nodiscard]] double strip_copies_seconds(const PipelineImage& image, const Rect& strip) const;
  [[nodiscard]] TransitionCost reduce(const Transition& transition);
  [[nodiscard]] TransitionCost read(int index) const;
  [[nodiscard]] TransitionCost write_alone(int index) const;
  void share_writes();
  [[nodiscard]] TransitionCost works(const std::vector<Work>& works, const Extent& tile, bool on_tiles) const;
  [[nodiscard]] double border_seconds(int result, const Extent& tile, bool on_tiles) const;
  [[nodiscard]] double site_slowdown(bool on_tiles) const;
  [[nodiscard]] const ImageShape& shape_of(int image) const;
  [[nodiscard]] std::string why_not(const Transition& transition) const;

  const Pipeline& pipeline_;
  const MachineProfile& profile_;
  const CostModel& model_;
  const SearchSpace& space_;
  Configuration configuration_;
  HaloDepths depths_;
  std::vector<std::vector<ImageShape>> input_shapes_;
  std::vector<std::vector<int>> filled_inputs_;  ///< by image: those whose border its operator fills
  std::vector<double> write_shares_;             ///< by output: the part of its cost that a write pays on one rank
  /// What packed() found in this configuration: images are often alike.
  struct Packed {
    TransferSpec spec;
    std::vector<Packing> packings;  ///< to choose from
    PackedTransfer result;
  };
  std::vector<Packed> packed_;
  std::vector<Packing> packings_;  ///< to choose from
};

}  // namespace tilewright
