// Plan and Trace: what is to be done, and what doing it took.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tilewright/core/grid.hpp"
#include "tilewright/core/message.hpp"
#include "tilewright/core/pixel.hpp"
#include "tilewright/model/node_curve.hpp"

namespace tilewright {

enum class StepKind : std::uint8_t {
  compute,
  scatter,
  gather,
  broadcast,
  allgather,
  exchange,
  redistribute,
  reduce,
  read,
  write
};
[[nodiscard]] std::string_view to_string(StepKind kind);
/// Throws ParameterError for an unknown name.
[[nodiscard]] StepKind parse_step_kind(std::string_view text);
/// None for a step that moves no image.
[[nodiscard]] std::optional<TransferKind> transfer_kind(StepKind kind);

/// Where a step works: on the root alone, on the tiles of all ranks of the grid, or on the whole image, which each of
/// these ranks computes for itself.
enum class Site : std::uint8_t { root, tiles, everywhere };
[[nodiscard]] std::string_view to_string(Site site);
[[nodiscard]] Site parse_site(std::string_view text);

/// Pixels of an image that are not needed any more: its tiles, or the whole image (wherever it is).
struct Release {
  int image = 0;
  bool whole = false;
  bool operator==(const Release&) const = default;
};

/// Another way to make the same transfer, or to read the same image.
struct RejectedAlgorithm {
  std::optional<Algorithm> algorithm;       ///< of a transfer; a file is read at the other site instead
  std::optional<double> predicted_seconds;  ///< none if it is not possible
  std::string why_not;
  bool operator==(const RejectedAlgorithm&) const = default;
};

/// One state transition.
struct PlanStep {
  StepKind kind = StepKind::compute;
  Site site = Site::root;
  int image = -1;                      ///< index of the image that is read, computed, moved, reduced or written
  int results = 1;                     ///< compute: how many images are computed together, from `image` on
  int output = -1;                     ///< index of the pipeline's output that is served: write and reduce
  std::string operation;               ///< compute, reduce, read, write: what is done, as the operator describes itself
  std::optional<Algorithm> algorithm;  ///< of a transfer that has a choice, and of reduce on tiles
  std::optional<Packing> packing;      ///< of a transfer
  std::string layout;                  ///< of a transfer: "cc", "nc", "cc+nc"
  Halo exchanged;                      ///< exchange, scatter, read on tiles: how much of the halo is filled
  Halo margin;                         ///< compute on tiles: how far beyond the tile, as long as that is in the image
  int bands = 1;  ///< compute on the root: of rows, each stored and reduced by the steps that follow as soon
                  ///< as it is made; with one, whole images are made
  std::optional<int> threads;         ///< compute, reduce: of each rank at work, where it takes fewer than the plan's
  bool cyclic = false;                ///< exchange: across the image's edges
  bool overlapped = false;            ///< exchange: its messages travel while the step after it computes what needs
                                      ///< none of them
  bool in_turn = false;               ///< scatter by OFT: each rank has its tile before the next one is sent its own;
                                      ///< gather: received as soon as sent, from the first such scatter on
  std::optional<ProcessGrid> grid;    ///< that the step's tiles lie on, or come to, where it is not the plan's;
                                      ///< broadcast: of all ranks reached, if also of those that the plan leaves idle
  std::optional<ProcessGrid> former;  ///< redistribute: the grid whose tiles are cut anew
  std::int64_t messages = 0;          ///< of a transfer
  std::int64_t bytes = 0;             ///< of a transfer: sent in all messages; of read and write: of the image
  std::optional<double> predicted_seconds;  ///< none if the profile does not know the cost
  double hidden_seconds = 0;                ///< of the predicted ones, that pass while ranks are busy with another step
  std::optional<double> measured_seconds;   ///< only in a trace
  std::vector<Release> releases;            ///< after this step
  std::vector<RejectedAlgorithm> rejected;  ///< of a transfer of an image that has a choice, and of a file
  bool operator==(const PlanStep&) const = default;
};

struct PlanImage {
  std::string name;
  ImageShape shape;
  Halo storage_halo;            ///< around each tile in memory; with one rank, around the whole image
  bool stays_on_tiles = false;  ///< at the end, for later segments
  bool operator==(const PlanImage&) const = default;
};

/// A configuration that was not chosen.
struct Alternative {
  int ranks = 1;
  ProcessGrid grid;
  std::optional<double> predicted_seconds;  ///< none if it is not possible, or not priced in full
  std::string why_not;
  std::optional<double> lower_bound_seconds = {};  ///< if it is not priced in full: it takes at least as long
  std::optional<ProcessGrid> second_grid = {};     ///< if images change between this grid and the other one
  bool in_turn = false;                            ///< if ranks are fed in turn
  bool operator==(const Alternative&) const = default;
};

/// A faster plan than the one that was chosen, which the profile cannot tell from it.
struct TieZone {
  double fastest_seconds = 0;
  ProcessGrid fastest_grid;
  double zone_seconds = 0;  ///< up to so much more than the fastest may be noise
  bool operator==(const TieZone&) const = default;
};

/// Immutable, printable, storable; whoever made it, the runtime executes it.
struct Plan {
  std::string machine;
  std::string model;
  int ranks = 1;           ///< that take part; others idle
  int ranks_per_node = 1;  ///< that share a node's cores and memory where there are as many
  int threads = 1;         ///< a rank, of steps that name no other number
  ProcessGrid grid;        ///< of all steps that name no other
  std::optional<double> predicted_seconds;
  /// Standard error of the predicted time, from the spread and the number of samples of the profile's cells. None for a
  /// profile without samples.
  std::optional<double> uncertainty_seconds;
  std::optional<double> lower_bound_seconds;
  bool proven_optimal = false;  ///< nothing is faster than this plan; with a tie, than the fastest of the tie
  std::optional<TieZone> tie;   ///< if the plan was preferred to a faster one, because it is simpler
  bool partial = false;         ///< a dry run ended here, because the program asked for a value
  std::uint64_t pipeline_hash = 0;
  std::int64_t root_bytes = 0;     ///< peak memory of rank 0 for images, forwarded data and scratch
  std::int64_t rank_bytes = 0;     ///< the same of any other rank, the largest
  std::vector<std::string> notes;  ///< defaults taken, sources of costs, limits of the search
  std::vector<PlanImage> images;
  std::vector<PlanStep> steps;
  std::vector<Alternative> alternatives;
  std::optional<NodeCurve> node_curve;  ///< if it was asked for

  [[nodiscard]] const PlanImage& image(int index) const { return images[static_cast<std::size_t>(index)]; }
  bool operator==(const Plan&) const = default;
};

/// The grid of the tiles that a step works on, or brings pixels to.
[[nodiscard]] ProcessGrid grid_of(const Plan& plan, const PlanStep& step);
/// Whether the root has the whole of each image that the step makes or moves after it, and may not have had it before.
[[nodiscard]] bool makes_whole(const PlanStep& step);
/// Whether every rank has the whole of each image that the step makes or moves after it.
[[nodiscard]] bool makes_whole_everywhere(const PlanStep& step);
/// The plan's ranks, and those that it leaves idle where they get an image all the same.
[[nodiscard]] int listeners(const Plan& plan);
/// The threads with which each rank does a step.
[[nodiscard]] int threads_of(const Plan& plan, const PlanStep& step);

/// Of a rank; Linux knows no more processors.
inline constexpr int most_threads = 8192;

/// What the fullest node needs where nodes have up to so many of the ranks each: the root's, or, if the root has
/// little, one on which all are others. Bytes.
[[nodiscard]] std::int64_t node_bytes(std::int64_t root_bytes, std::int64_t rank_bytes, int ranks, int ranks_per_node);
/// The same of a plan.
[[nodiscard]] std::int64_t node_bytes(const Plan& plan);

/// Throws ParameterError unless the plan is one of the pipeline with that hash.
void check_pipeline(const Plan& plan, std::uint64_t hash);

/// What running a plan took. `plan` has measured_seconds in its steps.
struct Trace {
  Plan plan;
  double measured_seconds = 0;           ///< from the start of the first step to the end of the last, slowest rank
  std::vector<std::int64_t> peak_bytes;  ///< by rank: most memory held for images at a time
  bool operator==(const Trace&) const = default;
};

}  // namespace tilewright
