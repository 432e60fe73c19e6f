// What a path through a transition graph holds in memory, told from the states that it leads through.
//
// While a transition is made, at least what it works on is there, and every other image that is still needed. Of an
// image in two places the rest of the path decides which of them is needed; a graph that forgets has a path for each
// choice, in others the cheapest of them counts. Then what a path holds is never more than the account of the plan that
// it becomes (plan_memory.hpp); in a graph that forgets, on one of the paths that become the plan.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "transition_costs.hpp"
#include "transition_graph.hpp"

namespace tilewright {

/// Bytes on the root, and on one of the other ranks.
struct RankBytes {
  std::int64_t root = 0;
  std::int64_t rank = 0;
  RankBytes& operator+=(const RankBytes& more);
  RankBytes& operator-=(const RankBytes& less);
  bool operator==(const RankBytes&) const = default;
};
[[nodiscard]] RankBytes operator+(RankBytes a, const RankBytes& b);

/// Of one configuration of several ranks.
class PathMemory {
 public:
  using Vertex = TransitionGraph::Vertex;

  /// In the configuration of the pricer, which has to stay turned to it; `offer` is that of the graph. Refers to the
  /// pipeline, the graph and the pricer.
  PathMemory(const Pipeline& pipeline, const TransitionGraph& graph, TransitionPricer& pricer, const Offer& offer);

  [[nodiscard]] bool is_possible(int transition) const { return is_possible_[static_cast<std::size_t>(transition)]; }
  /// While a possible transition is made from one vertex to another, at least.
  [[nodiscard]] RankBytes held(Vertex from, Vertex to, int transition) const;
  /// The most along a path, at least.
  [[nodiscard]] RankBytes peak(const ShortestPath& path) const;
  /// Counts from now on also what the messages of these transitions take on the way: that takes their schedules.
  /// Whether there was anything to count.
  bool count_messages(const std::vector<int>& transitions);

 private:
  /// What an image takes where it is.
  struct Places {
    std::optional<RankBytes> whole = {};
    std::optional<RankBytes> on_tiles = {};
  };
  [[nodiscard]] Places places(Vertex vertex, int image) const;
  /// The places of an image that a transition uses.
  enum class Use : std::uint8_t { whole, tile, both };
  template <class Visit>
  void each_use(Vertex from, const Transition& made, Visit&& visit) const;
  template <class Visit>
  void each_use_of_operator(Vertex from, const Transition& made, Visit&& visit) const;
  [[nodiscard]] RankBytes beside(Vertex vertex, int image, Use use) const;
  [[nodiscard]] RankBytes needed_later(Vertex vertex, int image) const;
  [[nodiscard]] RankBytes staying(Vertex vertex, int image) const;
  [[nodiscard]] RankBytes waiting(Vertex vertex, int image) const;
  [[nodiscard]] RankBytes tile(int image, int depth, int grid) const;
  [[nodiscard]] RankBytes tile_in(Vertex vertex, int image, int grid) const;
  [[nodiscard]] RankBytes whole(int image) const;
  [[nodiscard]] RankBytes everywhere(int image) const;
  [[nodiscard]] RankBytes scratch_of(const Transition& transition) const;
  void measure_images(const Offer& offer);
  void find_staying(const Offer& offer);

  /// Of an image that the program gets or keeps.
  struct Stay {
    std::size_t task = 0;  ///< after which it is as it stays
    RankBytes bytes;
  };

  const Pipeline& pipeline_;
  const TransitionGraph& graph_;
  TransitionPricer& pricer_;
  int other_;                                  // the rank that stands for all but the root
  std::vector<int> alike_;                     // ranks with tiles as large as its
  std::vector<bool> may_be_read_again_;        // by image
  std::vector<std::int64_t> whole_bytes_;      // by image
  std::vector<std::vector<RankBytes>> tiles_;  // by image, then by depth and grid
  std::vector<bool> is_possible_;              // by transition
  std::vector<RankBytes> scratch_;             // by transition: operators, files, and messages that were counted
  std::vector<bool> is_counted_;               // by transition: the messages
  std::vector<std::optional<Stay>> stays_;     // by image
  std::vector<RankBytes> waiting_;             // by vertex: all images
};

}  // namespace tilewright
