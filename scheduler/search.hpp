// The shortest path of every configuration, as far as anybody has to know it.
//
// A configuration is bounded first (Relaxation), in a time that hardly depends on its ranks. It is priced when its
// bound leaves open whether it is wanted: transfers enter the graph with lower bounds of their prices, the shortest
// path is found, what is on it is priced, and so on until all of a shortest path is priced. Lower bounds can only make
// other paths shorter than they are, so this is the shortest path by full prices, the same one where several are.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "relaxation.hpp"
#include "transition_costs.hpp"

namespace tilewright {

/// A configuration with its shortest path, a lower bound of what that takes, or the reason why there is none.
struct Candidate {
  Configuration configuration;
  double least_seconds = 0;          ///< never more than the path's; infinity if there is none
  std::optional<ShortestPath> path;  ///< once it is priced
  std::string infeasible;

  [[nodiscard]] bool is_possible() const { return infeasible.empty(); }
};

class Search {
 public:
  /// Bounds all configurations. Refers to all that it is given.
  Search(const Pipeline& pipeline, const MachineProfile& profile, const CostModel& model, const SearchSpace& space,
         const std::vector<Configuration>& configurations);

  [[nodiscard]] bool is_cut() const { return graph_.cut; }
  [[nodiscard]] std::size_t size() const { return candidates_.size(); }
  [[nodiscard]] const Candidate& operator[](std::size_t index) const { return candidates_[index]; }
  /// The candidate with its path, or with the reason why there is none.
  const Candidate& priced(std::size_t index);
  /// Rules a candidate out.
  void refuse(std::size_t index, std::string reason);
  /// What a candidate does; it has a path.
  [[nodiscard]] std::vector<Transition> transitions(const Candidate& candidate) const;
  /// Turned to the candidate's configuration.
  TransitionPricer& pricer_of(const Candidate& candidate);
  /// No plan of any configuration can be faster, also of those that a cut graph does not hold; infinity unless it is
  /// cut.
  [[nodiscard]] double bound() const { return bound_; }

 private:
  [[nodiscard]] double bound_of_all(const std::vector<double>& without_halos, int generations);
  [[nodiscard]] std::optional<ShortestPath> path();
  [[nodiscard]] std::string why_infeasible() const;

  const Pipeline& pipeline_;
  std::span<const Algorithm> algorithms_;
  TransitionGraph graph_;
  Relaxation relaxation_;
  TransitionPricer pricer_;
  bool has_operators_;
  double bound_;
  std::vector<Candidate> candidates_;
};

/// Candidates of up to so many ranks in the order of their times; of equal ones the first. Prices what it has to.
class BestFirst {
 public:
  explicit BestFirst(Search& search, int max_ranks);

  /// Seconds that no further candidate falls short of, without pricing any; infinity if there is none.
  [[nodiscard]] double least_seconds() const;
  /// The next one, priced; none if there is no other. What has been refused is left out.
  std::optional<std::size_t> next();

 private:
  struct Entry {
    double seconds = 0;
    bool is_priced = false;
    std::size_t index = 0;
    /// Bounds come before times that they equal: what they bound may be the same, and come first.
    auto operator<=>(const Entry&) const = default;
  };
  Search& search_;
  std::vector<Entry> heap_;  ///< the least on top
};

}  // namespace tilewright
