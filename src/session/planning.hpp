// From a pipeline and the options to a plan.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tilewright/model/machine_profile.hpp"
#include "tilewright/pipeline/pipeline.hpp"
#include "tilewright/runtime/communicator.hpp"
#include "tilewright/session/options.hpp"

namespace tilewright {

/// What the options force, of whatever ranks there are. Throws ParameterError if they contradict each other.
[[nodiscard]] SearchSpace forced(const SessionOptions& options);

/// SearchSpace::rank_speeds of ranks on these nodes; empty where the profile knows of no unequal ones.
[[nodiscard]] std::vector<double> speeds_by_rank(const MachineProfile& profile,
                                                 const std::vector<std::string>& node_of_rank);

/// The order in which plans are to use ranks on these nodes: those of the root's node, then those of the fastest nodes;
/// of equally fast ones as they were started.
[[nodiscard]] std::vector<int> fastest_first(const std::vector<std::string>& node_of_rank,
                                             const std::vector<NodeSpeed>& speeds);

/// These ranks in that order, where the profile, which the root has, knows of unequal nodes; unless the options say
/// otherwise, or give unequal tiles by hand. Collective.
[[nodiscard]] const Communicator& ranks_to_plan_for(const SessionOptions& options, const MachineProfile* profile,
                                                    const Communicator& started);

/// What a run on these ranks may choose from. Throws ParameterError if more is forced than there is.
[[nodiscard]] SearchSpace search_space_for_run(const SessionOptions& options, const MachineProfile* profile,
                                               const Communicator& communicator);

/// What a dry run may choose from: options.nodes, else the profile's nodes, else 16; a rank a core. Defaults that were
/// taken are added to `notes`.
[[nodiscard]] SearchSpace search_space_for_dry_run(const SessionOptions& options, const MachineProfile& profile,
                                                   std::vector<std::string>& notes);

/// The plan; without a profile, that of one rank alone. Throws ParameterError if that cannot be as it is forced.
[[nodiscard]] Plan make_plan(const Pipeline& pipeline, const std::optional<MachineProfile>& profile,
                             const SearchSpace& space, const SessionOptions& options);

/// The plans of options.plan_file, of one segment each. Throws ParameterError if it cannot be read, has none, or
/// is of another machine than the one that is named, or if anything else is said of planning.
[[nodiscard]] std::vector<Plan> plans_from_file(const SessionOptions& options);

}  // namespace tilewright
