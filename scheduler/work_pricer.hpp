// What the work of operators, reductions, sources and sinks takes in one configuration.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "configuration.hpp"
#include "tilewright/scheduler/planner.hpp"

namespace tilewright {

/// What is possible takes so long.
struct WorkCost {
  double seconds = 0;
  bool known = true;  ///< false: the profile lacks the operator's cost, which then counts as 0
};

/// What a unit of work takes in one configuration.
struct UnitCost {
  std::string key;
  PixelType type = PixelType::f32;
  double parameter = 0;
  double pixels = 0;
  bool on_tiles = false;
  int threads = 1;
  double piece = 0;
  std::optional<double> seconds;
};

/// Prices lists of work by the cells of a profile.
class WorkPricer {
 public:
  WorkPricer(const MachineProfile& profile, const SearchSpace& space) : profile_(profile), space_(space) {}

  /// Turns to a configuration.
  void configure(const Configuration& configuration);

  /// Of all of the list, done on a tile of that size by all ranks at once or by the root alone, each with so many
  /// threads.
  [[nodiscard]] WorkCost cost(std::span<const Work> list, const Extent& tile, bool on_tiles, int threads = 1);
  /// How many times as long it takes because threads that outnumber their node's cores take turns; on the root's site
  /// only the root works.
  [[nodiscard]] double slowdown(bool on_tiles, int threads) const;
  /// Those that were asked for since it was turned to this configuration.
  [[nodiscard]] const std::vector<UnitCost>& units_priced() const { return unit_costs_; }

 private:
  struct Sum {
    double added_s = 0;
    double taken_off_s = 0;  ///< negative
    bool known = true;
  };
  void add(Sum& sum, std::span<const Work> list, const Extent& tile, bool on_tiles, int threads);
  [[nodiscard]] std::optional<double> unit_seconds(const Work& work, double pixels, bool on_tiles, int threads);

  const MachineProfile& profile_;
  const SearchSpace& space_;
  Configuration configuration_;
  std::vector<UnitCost> unit_costs_;  ///< operators are often alike
};

}  // namespace tilewright
