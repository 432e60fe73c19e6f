// A lower bound of what any plan takes in one configuration, without a search.
//
// Every operator is done where that is cheapest, the root or the tiles, whatever has been done before; and the tiles
// pay for those transfers alone that cannot be avoided by who works there: of the root's images that it is the first to
// read, of the borders that it is the first to need, of its results that the root has to have. A transfer is charged to
// one operator only, so the sum over all tasks is never more than the shortest path (tested). A new way to get an image
// or its border is a new entry of the table of ways here.
//
// Where the program gets images on all ranks, each of these may compute them for itself. Plans in which none does are
// bounded as above; those in which some operator does, by themselves (least_everywhere()), and the lesser bound counts.
//
// A bound need not count everything: what is dear to work out is left to those configurations that are still in
// question without it.
#pragma once

#include <limits>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "offer.hpp"
#include "transition_costs.hpp"

namespace tilewright {

/// What a bound counts; each includes those before.
enum class Counted : std::uint8_t {
  work,           ///< of operators and files; whatever is sent comes about for nothing
  results,        ///< besides, what goes to the root and to the program: the same however deep halos are
  distributions,  ///< besides, the tiles of the root's images
  borders,        ///< all
};

/// What a bound is made of, in seconds; infinity where something is not possible. In the same order for every
/// configuration.
struct BoundParts {
  std::vector<double> on_root, on_tiles;  ///< by operator: its work alone
  std::vector<double> everywhere;         ///< the same; empty if none may be computed everywhere
  std::vector<double> needs;              ///< of those on tiles
  std::vector<double> files;              ///< and what else has to be done wherever operators work
  double replication = 0;                 ///< the least that brings to all ranks what one is computed from everywhere
};

/// Of a plan that may use either of two grids at each place.
[[nodiscard]] BoundParts least_of(BoundParts a, const BoundParts& b);

class Relaxation {
 public:
  /// Of plans in which so many generations of readers may live on one halo, with these transitions to choose from.
  /// `alone`: images whose transfers are not taken to cost what those of others do (SearchSpace::counted).
  Relaxation(const Pipeline& pipeline, int generations, Offer offer, std::map<int, double> alone = {});

  /// In the configuration of the pricer, in seconds. With several ranks at least one operator works on the tiles, or
  /// everywhere.
  [[nodiscard]] double bound(TransitionPricer& pricer, Counted counted = Counted::borders) const;
  /// The same made of parts that count as much, or more.
  [[nodiscard]] double bound(const std::vector<BoundParts>& views, int ranks, Counted counted) const;
  /// What it is made of. Several where the root has less, by the weight that its own time has: each makes a bound, and
  /// the largest counts.
  [[nodiscard]] std::vector<BoundParts> parts(TransitionPricer& pricer, Counted counted) const;
  /// Counts more in parts that were made in the same configuration, and count as much as `known`. What comes to
  /// `enough` or more need not be counted as closely.
  void count_more(std::vector<BoundParts>& parts, TransitionPricer& pricer, Counted known, Counted counted,
                  double enough = std::numeric_limits<double>::infinity()) const;
  /// Made of these, wherever operators work. Seconds.
  [[nodiscard]] double bound_of(const BoundParts& parts, Counted counted = Counted::borders) const;
  /// The least that it takes to change the grid of any image, in a configuration of two grids. Seconds.
  [[nodiscard]] double least_redistribution(TransitionPricer& pricer) const;

 private:
  /// Transitions that are all made.
  using Way = std::vector<Transition>;
  /// A file that is read or written by the root, or in one of these ways by each rank for its tile.
  struct FileAccesses {
    Transition on_root;
    std::vector<Way> on_tiles;
    bool operator==(const FileAccesses&) const = default;
  };
  /// Something that has to come about in one of these ways.
  struct Need {
    Counted counted = Counted::work;  ///< in bounds that count at least this
    std::vector<Way> ways;
    std::vector<FileAccesses> or_on_tiles = {};  ///< else all of these are made on tiles, for what that takes beyond
                                                 ///< what is charged for the files
    /// Of what is gathered to be fetched: after `ways` one of these, or all at once, for what that takes beyond what is
    /// charged for the delivery.
    std::vector<Way> then_delivered = {};
    Way or_at_once = {};
    bool operator==(const Need&) const = default;
  };

  /// An operator, with what comes with it on the tiles, by index into needs_.
  struct OperatorTask {
    int image = 0;
    std::vector<std::size_t> inputs;   ///< tiles and halos of what it reads
    std::vector<std::size_t> results;  ///< what it makes, on the root
    bool may_be_everywhere = false;
    std::vector<std::size_t> anyhow = {};      ///< of those, what comes with it also where another works everywhere
    std::vector<std::size_t> deliveries = {};  ///< of what it makes and is fetched, by index into outputs_
  };
  [[nodiscard]] double on_tiles(const OperatorTask& task, double work, const std::vector<double>& needs,
                                Counted counted) const;
  /// Besides the work those needs that are counted.
  [[nodiscard]] double with_needs(double work, const std::vector<std::size_t>& needs,
                                  const std::vector<double>& seconds, Counted counted) const;
  [[nodiscard]] double reading_seconds(const BoundParts& parts) const;
  /// None if it is not counted.
  [[nodiscard]] double output_seconds(const BoundParts& parts, std::size_t output, Counted counted) const;
  /// How a bound is looked for.
  struct View {
    Counted counted = Counted::borders;
    double enough = std::numeric_limits<double>::infinity();
    double weight_of_root = 1;
    std::optional<Counted> known = {};  ///< as much is counted already
  };
  [[nodiscard]] BoundParts parts(TransitionPricer& pricer, const View& view) const;
  void count(BoundParts& parts, TransitionPricer& pricer, const View& view) const;
  /// All tasks where they take least, and what it takes beyond that to do one operator on the tiles.
  struct Least {
    double seconds = 0;
    double more_on_tiles = std::numeric_limits<double>::infinity();
  };
  [[nodiscard]] Least least(const BoundParts& parts, Counted counted) const;
  [[nodiscard]] double bound(const BoundParts& parts, int ranks, Counted counted) const;
  [[nodiscard]] double least_everywhere(const BoundParts& parts, Counted counted) const;
  [[nodiscard]] double seconds_of(const Need& need, TransitionPricer& pricer, const View& view) const;
  [[nodiscard]] static double seconds_beyond_delivery(const Need& need, TransitionPricer& pricer, double weight);

  void add_operator(int image);
  void add_everywhere();
  void add_output(int output);
  [[nodiscard]] Need gathering(int image) const;
  [[nodiscard]] std::vector<Way> deliveries(int image) const;
  [[nodiscard]] Way allgather(int image) const;
  [[nodiscard]] Need reading(int image) const;
  [[nodiscard]] std::vector<Way> readings_on_tiles(int image) const;
  [[nodiscard]] std::vector<FileAccesses> writings_on_tiles(int image) const;
  [[nodiscard]] Need distribution(int image) const;
  [[nodiscard]] Need border(int image) const;
  [[nodiscard]] bool may_be_everywhere(int image) const;
  [[nodiscard]] bool is_first_reader(int reader, int image) const;
  [[nodiscard]] bool is_first_with_halo(int reader, int image) const;
  [[nodiscard]] bool is_wanted_on_root(int image) const;
  [[nodiscard]] bool is_fetched_before(int output) const;
  [[nodiscard]] int alike(int image) const;
  [[nodiscard]] int distributed_as(int image, Algorithm algorithm) const;
  [[nodiscard]] std::vector<int> readers_with_halo(int image) const;
  [[nodiscard]] int first_alike_reader(int reader) const;
  [[nodiscard]] bool is_wrapped(int image) const;
  std::size_t index_of(const Need& need);

  const Pipeline& pipeline_;
  Offer offer_;
  std::map<int, double> alone_;
  HaloDepths depths_;
  bool has_tiled_sources_;         ///< then all operators may work on the root
  std::vector<bool> serving_all_;  ///< by image: every rank may compute it for itself; empty: none
  std::vector<int> alike_;
  std::vector<Need> needs_;  ///< each once, however many images are alike
  std::vector<OperatorTask> operators_;
  std::vector<Need> reads_;
  std::vector<Need> outputs_;
  std::vector<int> fetched_;               ///< by output in outputs_: the image that is delivered, or -1
  std::vector<bool> is_delivered_result_;  ///< the same: whether an operator makes it
  std::optional<Need> replication_;        ///< none if no operator may work everywhere, or where it is charged anyway
};

}  // namespace tilewright
