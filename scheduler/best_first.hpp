// Candidates in the order of their costs, of which as few are priced as it takes.
#pragma once

#include <compare>
#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "search.hpp"

namespace tilewright {

/// What a candidate is ordered by: a factor of its seconds that depends on its nodes.
using CostOfSeconds = std::function<double(int nodes, double seconds)>;

/// Candidates of up to so many nodes in the order of their costs, without `cost_of` their times; of equal ones the
/// first. Prices what it has to.
class BestFirst {
 public:
  explicit BestFirst(Search& search, int max_nodes = std::numeric_limits<int>::max(), CostOfSeconds cost_of = nullptr);

  /// The next one, priced; none if there is no other. What has been refused is left out.
  std::optional<std::size_t> next();
  /// Takes one in again that had its turn, and has got a slower path since.
  void take_again(std::size_t index) { push_candidate(index); }

 private:
  struct Entry {
    double cost = 0;
    bool is_priced = false;
    bool is_group = false;
    std::size_t index = 0;
    /// Bounds come before times that they equal: what they bound may be the same, and come first.
    auto operator<=>(const Entry&) const = default;
  };
  /// None of a candidate that is not wanted: it is not possible, or needs too many nodes. Of a pair of grids that is
  /// known only when its group is opened.
  [[nodiscard]] std::optional<Entry> entry_of(std::size_t index) const;
  void push(const Entry& entry);
  Entry pop();
  [[nodiscard]] std::vector<Search::Step> take_unpriced();
  void push_candidate(std::size_t index);
  void push_group(std::size_t index);
  [[nodiscard]] double cost(int nodes, double seconds) const;
  Search& search_;
  int max_nodes_;
  CostOfSeconds cost_of_;
  std::vector<Entry> heap_;  ///< the least on top
};

}  // namespace tilewright
