// A lower bound of what any plan takes in one configuration, without a search.
//
// Every operator is done where that is cheapest, the root or the tiles, whatever has been done before; and the tiles
// pay for those transfers alone that cannot be avoided by who works there: of the root's images that it is the first to
// read, of the borders that it is the first to need, of its results that the root has to have (bound_needs.hpp). A
// transfer is charged to one operator only, so the sum over all tasks is never more than the shortest path (tested).
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
#include <vector>

#include "bound_needs.hpp"
#include "cost_terms.hpp"
#include "transition_costs.hpp"

namespace tilewright {

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
  /// As bound_needs() has it.
  Relaxation(const Pipeline& pipeline, int generations, const Offer& offer, const std::map<int, double>& alone = {})
      : needs_(bound_needs(pipeline, generations, offer, alone)) {}

  /// In the configuration of the pricer, in seconds. With several ranks at least one operator works on the tiles, or
  /// everywhere.
  [[nodiscard]] double bound(TransitionPricer& pricer, Counted counted = Counted::borders) const;
  /// The same made of parts that count as much, or more.
  [[nodiscard]] double bound(const std::vector<BoundParts>& views, int ranks, Counted counted) const;
  /// Of what that consists, each operator where it takes least: by Need::term, and computing. `bound_s` is the bound.
  [[nodiscard]] CostTerms terms(const std::vector<BoundParts>& views, int ranks, Counted counted, double bound_s) const;
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
  using Need = BoundNeeds::Need;
  using OperatorTask = BoundNeeds::OperatorTask;

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
  [[nodiscard]] bool is_one_on_tiles(int ranks) const;
  [[nodiscard]] CostTerms terms_of_work(const BoundParts& parts, double bound_s) const;
  [[nodiscard]] CostTerms terms_of_least(const BoundParts& parts, Counted counted, bool is_one_on_tiles) const;
  [[nodiscard]] CostTerms terms_everywhere(const BoundParts& parts, Counted counted) const;
  void add_needs(CostTerms& terms, const std::vector<std::size_t>& needs, const BoundParts& parts,
                 Counted counted) const;
  void add_output(CostTerms& terms, const BoundParts& parts, std::size_t output, Counted counted) const;
  [[nodiscard]] double seconds_of(const Need& need, TransitionPricer& pricer, const View& view) const;
  [[nodiscard]] static double seconds_beyond_delivery(const Need& need, TransitionPricer& pricer, double weight);

  BoundNeeds needs_;
};

}  // namespace tilewright
