// Follows a plan's steps: which image lies where.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "tilewright/model/plan.hpp"

namespace tilewright {

/// The placements of all live images at one point of a plan: a state of the transition graph.
class Placements {
 public:
  explicit Placements(const Plan& plan) : plan_(plan) {}

  void follow(const PlanStep& step);

  /// One line an image and placement: "image0 on root", "image0 tiled 2x4, halo 9x9 valid", "image3 in file".
  [[nodiscard]] std::vector<std::string> lines() const;

 private:
  struct Image {
    bool on_root = false;
    bool replicated = false;
    bool tiled = false;
    ProcessGrid grid;
    Halo valid;  ///< of the tiles: how much of the halo is filled
  };
  void place(const PlanStep& step);

  const Plan& plan_;
  std::map<int, Image> images_;
  std::set<std::pair<int, bool>> delivered_;  ///< image, true if as a file, false if as a value
};

}  // namespace tilewright
