// Searches the best plan for a pipeline on a machine.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tilewright/model/machine_profile.hpp"
#include "tilewright/model/plan.hpp"
#include "tilewright/pipeline/pipeline.hpp"
#include "tilewright/scheduler/cost_model.hpp"
#include "tilewright/scheduler/objective.hpp"

namespace tilewright {

/// How an image gets from the root to the tiles.
enum class Distribution : std::uint8_t { scatter, broadcast };
/// Throws ParameterError for an unknown name.
[[nodiscard]] Distribution parse_distribution(std::string_view text);

/// Where the halos of tiles come from. Shallow: each is exchanged (or cut out of a replicated image) when an operator
/// needs it. Deep: wherever possible it comes along with the scatter, or is computed beyond the tile, as deep as it is
/// of use.
enum class HaloChoice : std::uint8_t { shallow, deep };
/// Throws ParameterError for an unknown name.
[[nodiscard]] HaloChoice parse_halo_choice(std::string_view text);

/// Whether images change from one process grid to another between operators.
enum class Regrid : std::uint8_t { never, always };
/// Throws ParameterError for an unknown name.
[[nodiscard]] Regrid parse_regrid(std::string_view text);

/// How large tiles are: as even as can be, as their ranks are fast, or smaller on the root, which has the messages of
/// all others to attend to.
enum class TileSizes : std::uint8_t { even, by_speed, less_on_root };
/// Throws ParameterError for an unknown name.
[[nodiscard]] TileSizes parse_tile_sizes(std::string_view text);

/// How pixels come from files: through the root, or each rank reads its own tiles. Throws ParameterError for an unknown
/// name.
enum class FileAccess : std::uint8_t { root, parallel };
[[nodiscard]] FileAccess parse_file_access(std::string_view text);

/// What the search may choose from, and what is forced.
struct SearchSpace {
  int min_ranks = 1;
  int max_ranks = 1;
  int started_ranks = 0;   ///< that go on with the results, those that the plan leaves idle included; 0: its ranks
  int ranks_per_node = 1;  ///< ranks that share a node's cores when there are that many
  int mappable_nodes = 1;  ///< that have ranks_per_node each, so that plans may lay out grids on them; 0: unequal ones
  int sharing_ranks = 1;   ///< so many ranks, from the root on, can have images in memory that they share; 1: none
  int cores_per_node = 1;  ///< that the ranks of a node share, as threads
  int cores_per_rank = std::numeric_limits<int>::max();  ///< that a rank is bound to
  /// By rank, times that of the slowest node, whose costs the profile has; ranks beyond have 1. Empty: all alike.
  std::vector<double> rank_speeds = {};
  std::optional<int> threads = {};       ///< forced; a rank
  std::optional<int> ranks = {};         ///< forced
  bool or_one_rank = false;              ///< one rank alone may take the place of those that are forced
  std::optional<GridPattern> grid = {};  ///< forced
  std::optional<TileSizes> tiles = {};   ///< forced; not beside a grid with shares
  std::optional<bool> in_turn = {};      ///< forced, or forbidden: that ranks are fed in turn
  std::optional<bool> overlap = {};      ///< forced, or forbidden: that exchanges pass while tiles are computed
  bool everywhere = true;                ///< what all ranks get may be computed by each of them
  std::optional<Algorithm> tree = {};    ///< forced
  std::optional<Distribution> distribution = {};  ///< forced
  std::optional<Packing> packing = {};            ///< forced
  std::optional<HaloChoice> halo = {};            ///< forced
  std::optional<Regrid> regrid = {};              ///< forced
  /// By source: the part of its scatter to the tiles that counts, else all. With a halo, or as a broadcast, all counts.
  std::map<int, double> counted = {};
  bool keeps_in_place = false;           ///< images to be kept stay where they are made, be that the root or the tiles
  std::optional<FileAccess> files = {};  ///< forced; parallel: of all files of which that is possible
  std::map<int, std::string> unseen = {};          ///< images in files that not every rank sees, with the reason
  std::map<int, std::string> unseen_outputs = {};  ///< the same of outputs, where they are made
  Wishes wishes = {};                              ///< what the best plan is the best of
  std::int64_t node_memory = 0;                    ///< bytes; 0: no limit known
  std::size_t max_states = 20000;                  ///< of the transition graph, before the search is cut
  bool second_opinions = false;                    ///< the plan also tells what other cost models would choose
  bool node_curve = false;                         ///< the plan also tells what fewer nodes would take
};

/// Whether what is forced lets all work be done on that grid.
[[nodiscard]] bool may_use_grid(const SearchSpace& space, const ProcessGrid& grid);

/// The threads of each rank of a grid: those that are forced, or an even share of the cores of the fullest node.
/// Ranks that the plan leaves idle sleep, and have no share.
[[nodiscard]] int threads_of_rank(const SearchSpace& space, const ProcessGrid& grid);

/// What hinders ranks from lying on nodes as the grid's mapping says; empty if nothing does.
[[nodiscard]] std::string why_not_mapped(const SearchSpace& space, const ProcessGrid& grid);

/// The best plan. Where sources are on the tiles of a grid (Source::tiled_on()), only that grid is tried, and all work
/// may be done on the root, once they have been gathered. Else: the shortest path through the transition graph over all
/// configurations. Pure: same inputs, same plan. Of the configurations whose best plans the profile cannot tell from
/// the fastest one (docs/design.md, "Ties"), the one with fewer changes of grid wins, then with fewer ranks, fewer
/// strided transfers, fewer transfers, fewer columns, then even tiles; within a configuration, of equally fast plans
/// that with OFT before SBT, scatter before broadcast, exchanged halos before deep ones, derived datatypes before
/// packing by hand. With several ranks at least one operator works on the tiles, or on all ranks at once, for else the
/// others would only idle; a grid on which none can is infeasible. A forced number of ranks that would be chosen before
/// one rank alone may leave the rest to the root; other forced ranks, grids and ways to the tiles ask for all work
/// there. Plans that exceed the memory of a node are left out: of each configuration the fastest plan counts that fits.
/// Where the plan is to take the fewest node-hours, only plans on as many nodes can be tied with it; its lower bound is
/// that of plans on as many nodes. The node curve costs no search of its own: it is made of the same configurations,
/// and of a plan for each count that it shows. Configurations are bounded, and priced in full only if they may be
/// wanted: for the choice, for the curve, or as one of the 20 fastest alternatives; the other alternatives have a lower
/// bound instead of a predicted time. Throws ParameterError when a forced decision cannot be honoured, when no plan
/// fits or keeps to the node-hours that may be spent, or when the profile has no operator costs.
[[nodiscard]] Plan plan_pipeline(const Pipeline& pipeline, const MachineProfile& profile, const CostModel& model,
                                 const SearchSpace& space);

/// The same by the model of that name ("": the default), of the machine as runs of the pipeline leave it that follow
/// each other (MachineProfile::for_repeated()).
[[nodiscard]] Plan plan_pipeline(const Pipeline& pipeline, const MachineProfile& profile, std::string_view model,
                                 const SearchSpace& space);

/// The plan of one rank alone, without any profile: nothing to decide, nothing predicted.
[[nodiscard]] Plan sequential_plan(const Pipeline& pipeline, int threads);

}  // namespace tilewright
