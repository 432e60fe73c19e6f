// A lower bound of what any plan takes in one configuration, without a search.
//
// Every operator is done where that is cheapest, the root or the tiles, whatever has been done before; and the tiles
// pay for those transfers alone that cannot be avoided by who works there: of the root's images that it is the first to
// read, of the borders that it is the first to need, of its results that the root has to have. A transfer is charged to
// one operator only, so the sum over all tasks is never more than the shortest path (tested). A new way to get an image
// or its border is a new entry of the table of ways here.
#pragma once

#include <span>
#include <vector>

#include "transition_costs.hpp"

namespace tilewright {

/// Seconds; infinity if no plan is possible.
struct Bound {
  double seconds = 0;
  double without_halos = 0;  ///< the same where tiles and their halos come about for nothing, however deep these are
};

class Relaxation {
 public:
  /// Of plans in which so many generations of readers may live on one halo, and transfers of images have these
  /// algorithms to choose from.
  Relaxation(const Pipeline& pipeline, int generations, std::span<const Algorithm> algorithms);

  /// In the configuration of the pricer. With several ranks at least one operator works on the tiles.
  [[nodiscard]] Bound bound(TransitionPricer& pricer) const;

 private:
  /// Transitions that are all made.
  using Way = std::vector<Transition>;
  /// Something that has to come about in one of these ways.
  using Need = std::vector<Way>;

  /// An operator, with what comes with it on the tiles, by index into needs_.
  struct OperatorTask {
    int image = 0;
    std::vector<std::size_t> inputs;   ///< tiles and halos of what it reads
    std::vector<std::size_t> results;  ///< what it makes, on the root
  };
  /// What the operators and whatever they need take.
  [[nodiscard]] double operators_seconds(TransitionPricer& pricer, const std::vector<double>& needs,
                                         bool inputs_count) const;

  void add_operator(int image);
  void add_output(int output);
  [[nodiscard]] Need distribution(int image) const;
  [[nodiscard]] Need border(int image) const;
  [[nodiscard]] bool is_first_reader(int reader, int image) const;
  [[nodiscard]] bool is_first_with_halo(int reader, int image) const;
  [[nodiscard]] bool is_wanted_on_root(int image) const;
  [[nodiscard]] bool is_fetched(int image) const;
  [[nodiscard]] bool is_fetched_before(int output) const;
  [[nodiscard]] int alike(int image) const;
  [[nodiscard]] int distributed_as(int image, Algorithm algorithm) const;
  [[nodiscard]] bool is_wrapped(int image) const;
  std::size_t index_of(const Need& need);

  const Pipeline& pipeline_;
  std::span<const Algorithm> algorithms_;
  HaloDepths depths_;
  std::vector<int> alike_;
  std::vector<Need> needs_;  ///< each once, however many images are alike
  std::vector<OperatorTask> operators_;
  std::vector<Transition> reads_;
  std::vector<Need> outputs_;
};

}  // namespace tilewright
