// What the transitions of a pipeline cost in one configuration. Made in five files: transitions, transfers, computing,
// overlap and files.
#pragma once

#include <array>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "configuration.hpp"
#include "halo_depths.hpp"
#include "known_schedules.hpp"
#include "tile_speeds.hpp"
#include "tilewright/scheduler/planner.hpp"
#include "timeline.hpp"
#include "transfer_pricer.hpp"
#include "transition.hpp"
#include "work_pricer.hpp"

namespace tilewright {

/// A transition that is not possible has infinite seconds and a reason.
struct TransitionCost : WorkCost {
  std::string infeasible = {};  ///< the reason
};

/// Prices transitions; keeps what several configurations share.
class TransitionPricer {
 public:
  /// `schedules` are shared with others who price the same configurations; none: its own.
  TransitionPricer(const Pipeline& pipeline, const MachineProfile& profile, const CostModel& model,
                   const SearchSpace& space, std::shared_ptr<KnownSchedules> schedules = nullptr);

  /// Turns to a configuration, unless it has been turned to it before.
  void configure(const Configuration& configuration);
  [[nodiscard]] const Configuration& configuration() const { return configuration_; }
  [[nodiscard]] TransitionCost price(const Transition& transition);
  /// price(transition).seconds, which are known of most operators.
  [[nodiscard]] double price_seconds(const Transition& transition) {
    return computes(transition.kind) ? compute_seconds(transition) : price(transition).seconds;
  }
  /// Never more than price(transition).seconds, and equal to it unless has_messages(transition): schedules are only
  /// outlined. What comes to `enough` or more need not be as close.
  [[nodiscard]] double least_seconds(const Transition& transition,
                                     double enough = std::numeric_limits<double>::infinity());
  /// That of an operator at that site, without a margin.
  [[nodiscard]] double computing_seconds(Site site, int image) {
    const double known = known_seconds(site, 0, image);
    if (known != not_known) return known;
    return compute_seconds({kind_of_computing(site), image});
  }
  /// Ranks that hold images of each plan: the configuration's, and where the program fetches one, all that are started.
  [[nodiscard]] int holders() const;
  /// Summed over a path, never more than all of it takes; see least_added_seconds() of a timeline, whose weight
  /// matters where ranks are fed in turn.
  [[nodiscard]] double least_added_seconds(const Transition& transition, double weight_of_root,
                                           double enough = std::numeric_limits<double>::infinity());
  /// Whether ranks are fed in turn; then the times of a path do not simply add up.
  [[nodiscard]] bool is_in_turn() const { return configuration_.in_turn; }
  /// How a transition passes that takes so long: its price, or a lower bound of it, which makes a lower bound of all.
  [[nodiscard]] TransitionTimes times(const Transition& transition, double seconds);
  /// Of the transition's image, where ranks are fed in turn.
  [[nodiscard]] std::int64_t bytes_of_others_tile(const Transition& transition) const;
  /// What an exchange takes that passes while its operator computes, and what the operator takes then.
  struct Overlap {
    double exchange_s = 0;  ///< by itself
    double extra_s = 0;     ///< of the operator, for it computes its tile in parts
    double hidden_s = 0;    ///< of the exchange
    [[nodiscard]] double seconds() const { return exchange_s + extra_s - hidden_s; }
  };
  /// Of Transition::meanwhile, in a configuration in which that is possible.
  [[nodiscard]] Overlap overlap(const Transition& transition);
  /// What an operator takes that is computed in parts while an exchange passes; infinity: impossible.
  struct ComputingInParts {
    double whole_s = 0;   ///< all at once
    double middle_s = 0;  ///< what needs nothing of a neighbour
    double strips_s = 0;  ///< the rest
  };
  /// Of the operator that an exchange passes meanwhile, found once for a configuration.
  [[nodiscard]] const ComputingInParts& known_in_parts(const Transition& exchange);
  /// The same with what computing takes by a pricer for which operators cost the same.
  [[nodiscard]] Overlap overlap(const Transition& transition, const ComputingInParts& computing);
  /// Whatever is forced.
  [[nodiscard]] WorkCost read_on_root(int image);
  [[nodiscard]] WorkCost write_on_root(int output);
  /// Why the configuration or what is forced forbids the transition; empty if it is possible.
  [[nodiscard]] std::string why_not(const Transition& transition) const;

  /// How many depths of halo the tiles of an image can have.
  [[nodiscard]] int depths(int image) const { return static_cast<int>(depths_.of(image).size()); }
  /// The halo with which the tiles of an image are stored.
  [[nodiscard]] Halo storage_halo(int image, int depth) const;
  /// Of each rank in this configuration.
  [[nodiscard]] int threads() const { return thread_counts_.front(); }
  /// With so many an operator or a reduction is fastest: all, or fewer where it would lose more by them than it gains.
  [[nodiscard]] int threads_of(const Transition& transition) {
    if (thread_counts_.size() == 1) return threads();
    return reduces(transition) ? reduction(transition).threads : compute(transition).threads;
  }
  /// How much of the halo read_tiles fills.
  [[nodiscard]] Halo filled_halo(const Transition& transition) const;
  /// How far beyond its tile an operator computes.
  [[nodiscard]] Halo margin(const Transition& transition) const;

  /// Of what a transfer's time consists.
  struct TransferTerm {
    std::string_view name;
    double seconds = 0;
  };
  /// All of them; `image` is what is moved, its packing the cheapest one or the one that is forced.
  [[nodiscard]] std::vector<TransferTerm> transfer_terms(const TransferSpec& spec, int image);

  /// Of what a transfer takes, what passes as the image is read, which the runtime does into shared memory then.
  [[nodiscard]] double seconds_of_reading(const Transition& transfer) const;

  /// The transfer as it is priced and as the runtime will execute it.
  [[nodiscard]] TransferSpec spec(const Transition& transition);
  /// Units of work that were asked for since it was turned to this configuration.
  [[nodiscard]] const std::vector<UnitCost>& units_priced() const { return works_.units_priced(); }

  /// Small messages, as rows of bytes. Of a reduction: partial results to the root, then the merged one to all ranks
  /// that were started. Of a file that ranks write together: where it is, what became of each part, and the root's word
  /// on all.
  [[nodiscard]] std::vector<TransferSpec> small_message_specs(const Transition& transition) const;

 private:
  /// Of a transition that is possible; messages count, too.
  [[nodiscard]] WorkCost cost_of(const Transition& transition);
  /// Ranks that the result of a reduction goes to, and an image that is fetched.
  [[nodiscard]] int listeners() const;
  [[nodiscard]] bool goes_to_idle_ranks(const Transition& transition) const;
  /// Of a transfer through shared memory: what is in somebody's memory already is copied to where all see it.
  [[nodiscard]] double copy_to_shared_seconds(const TransferSpec& spec, int image) const;
  /// Of what a transfer takes, as SearchSpace::counted has it.
  [[nodiscard]] double part_that_counts(const Transition& transition) const;
  [[nodiscard]] double image_seconds(const Transition& transition);
  [[nodiscard]] std::string why_not_overlapped(const Transition& transition) const;
  [[nodiscard]] double least_overlapped_seconds(Transition transition, double enough);
  [[nodiscard]] ComputingInParts computing_in_parts(const Transition& exchange);
  [[nodiscard]] double hidden_part(const TransferSpec& exchange);
  [[nodiscard]] TransferSpec transfer_spec(const Transition& transition) const;
  [[nodiscard]] bool is_fed_in_turn(const Transition& transition) const;
  [[nodiscard]] TransitionTimes computing_times(const Transition& transition, double seconds);
  [[nodiscard]] double overhead_seconds(const TransferSpec& small_messages) const;
  struct ThreadedCost {
    int threads = 1;
    WorkCost cost = {};
  };
  [[nodiscard]] ThreadedCost compute(const Transition& transition);
  [[nodiscard]] ThreadedCost reduction(const Transition& transition);
  /// With the number of threads that is fastest; of equally fast ones, as of what nobody has measured, the most.
  template <class CostWith>
  [[nodiscard]] ThreadedCost with_best_threads(CostWith&& cost_with) const;
  [[nodiscard]] WorkCost compute_with(const Transition& transition, int threads);
  /// On the root alone, or on every rank at once.
  [[nodiscard]] WorkCost compute_whole(const Transition& transition, int threads);
  /// What the slowest rank takes for what `cost_of` says of its tile, by the speed of the slowest node.
  template <class CostOf>
  [[nodiscard]] WorkCost on_tiles(const Extent& extent, const ProcessGrid& grid, const Halo& margin,
                                  CostOf&& cost_of) const;
  /// Times that of the slowest node, whose costs the profile has.
  [[nodiscard]] double speed_of_slowest() const;
  [[nodiscard]] double speed_of_root() const { return space_.rank_speeds.empty() ? 1 : space_.rank_speeds.front(); }
  [[nodiscard]] WorkCost compute_tile(const Transition& transition, const Extent& tile, int threads);
  [[nodiscard]] const std::vector<Work>& works_of(int image, const Extent& tile);
  [[nodiscard]] double computing_on_roots_tile(const Transition& transition);
  [[nodiscard]] WorkCost compute_by_edges(const Transition& transition, int threads);
  [[nodiscard]] double strip_copies_seconds(const PipelineImage& image, const Rect& strip, bool on_all);
  [[nodiscard]] WorkCost with_small_messages(const Transition& transition);
  [[nodiscard]] WorkCost reduce_with(const Transition& transition, int threads);
  [[nodiscard]] WorkCost reduce_on_root(int output, bool is_alone, int threads);
  [[nodiscard]] WorkCost read_tiles(const Transition& transition);
  [[nodiscard]] WorkCost write_tiles_work(const Transition& transition);
  [[nodiscard]] WorkCost small_messages_work(const Transition& transition);
  [[nodiscard]] bool is_read_on_tiles(int image) const;
  [[nodiscard]] bool is_written_on_tiles(int output) const;
  [[nodiscard]] WorkCost compute_bands(int first_result);
  void share_outputs();
  [[nodiscard]] double border_seconds(const Transition& transition, const Extent& tile);
  [[nodiscard]] const ImageShape& shape_of(int image) const;
  [[nodiscard]] double compute_seconds(const Transition& transition);
  void find_known_seconds();
  void count_threads();
  void find_alike_on_tiles();

  const Pipeline& pipeline_;
  const MachineProfile& profile_;
  const SearchSpace& space_;
  Configuration configuration_;
  double both_ways_;                ///< TransitionTimes::both_ways on this machine
  double send_overhead_s_;          ///< of a small message on the root, beyond that of one in a stream
  double recv_overhead_s_;          ///< the same of one that it takes in
  double step_overhead_s_;          ///< of an operator's step, and of one that reads or writes
  std::vector<int> thread_counts_;  ///< of a rank in this configuration, to choose from; most first
  TransferPricer transfers_;
  WorkPricer works_;
  HaloDepths depths_;
  std::vector<std::vector<ImageShape>> input_shapes_;
  std::vector<bool> in_parts_;                   ///< by image: ranks can read their tiles of it
  std::vector<bool> is_fetched_;                 ///< by image
  std::vector<bool> out_parts_;                  ///< by output: ranks can write their tiles to it
  std::vector<std::vector<int>> filled_inputs_;  ///< by image: those whose border its operator fills
  std::vector<std::size_t> priced_as_;           ///< by image: the first one that takes as long on any tile
  std::vector<int> bands_;                       ///< by image: in which one rank computes it and puts it out
  std::vector<double> band_shares_;              ///< by image in bands: the part of its cost that computing it pays
  std::vector<double> output_shares_;            ///< by output: the part of its cost that it pays on one rank
  /// Of exchanges, by the bytes of their messages and whether a rank has two neighbours.
  std::map<std::pair<std::int64_t, bool>, double> hidden_parts_;
  /// In this configuration, by the grid and the first image whose computing takes as long.
  std::map<std::pair<int, std::size_t>, ComputingInParts> known_in_parts_;

  /// Of an operator on a tile.
  struct WorksOnTile {
    int image = -1;
    Extent tile = {};
    std::vector<Work> works = {};
  };
  WorksOnTile last_works_;  ///< that were asked for

  /// All that the cost of an operator on a tile depends on, besides the operator, and whether it can work there.
  struct TileSite {
    Extent image;
    Extent tile;                    ///< the largest
    std::vector<TileAtWork> tiles;  ///< on unequal nodes, those of which one takes longest
    Extent smallest;                ///< tile
    bool one_column = false;
    bool one_row = false;
    int ranks_on_node = 1;
    [[nodiscard]] auto key() const {
      return std::tie(image, tile, smallest, one_column, one_row, ranks_on_node, tiles);
    }
    bool operator<(const TileSite& other) const { return key() < other.key(); }
  };
  static constexpr double not_known = -1;
  using SecondsByImage = std::vector<double>;  ///< of computing it; infinity: impossible; negative: not asked for yet
  [[nodiscard]] std::vector<SecondsByImage*> known_seconds_of(const ProcessGrid& grid);
  std::map<TileSite, SecondsByImage> known_on_tiles_;
  /// Of one rank or several, with so many threads each.
  std::map<std::pair<bool, int>, SecondsByImage> known_on_root_;
  SecondsByImage* known_on_this_root_ = nullptr;  ///< in this configuration
  SecondsByImage known_on_roots_tile_;            ///< where the root has less, without margins
  SecondsByImage known_everywhere_;               ///< in this configuration
  /// Of those, the number for this configuration; `grid` counts on tiles.
  [[nodiscard]] double& known_seconds(Site site, int grid, int image) {
    const auto i = static_cast<std::size_t>(image);
    if (site == Site::everywhere) {
      if (known_everywhere_.empty()) known_everywhere_.assign(extent_of_.size(), not_known);  // of few pipelines
      return known_everywhere_[i];
    }
    if (site == Site::root) return (*known_on_this_root_)[i];
    return (*known_in_grid_[static_cast<std::size_t>(grid)][extent_of_[i]])[priced_as_[i]];
  }
  std::vector<Extent> extents_;         ///< that occur
  std::vector<std::size_t> extent_of_;  ///< by image: which of them
  /// By grid and extent: those of this configuration.
  std::array<std::vector<SecondsByImage*>, 2> known_in_grid_;
};

template <class CostWith>
TransitionPricer::ThreadedCost TransitionPricer::with_best_threads(CostWith&& cost_with) const {
  std::optional<ThreadedCost> best;
  for (const int threads : thread_counts_) {
    const WorkCost cost = cost_with(threads);
    if (!best || cost.seconds < best->cost.seconds) best = ThreadedCost{threads, cost};
  }
  return *best;
}

template <class CostOf>
WorkCost TransitionPricer::on_tiles(const Extent& extent, const ProcessGrid& grid, const Halo& margin,
                                    CostOf&& cost_of) const {
  if (space_.rank_speeds.empty())
    return cost_of(largest_tile(extent, grid, margin));  // of most configurations, quickly
  WorkCost longest{-1};
  for (const TileAtWork& at_work : tiles_at_work(extent, grid, margin, space_.rank_speeds)) {
    WorkCost cost = cost_of(at_work.tile);
    cost.seconds /= at_work.speed;
    if (cost.seconds > longest.seconds) longest = cost;
  }
  return longest;
}

}  // namespace tilewright
