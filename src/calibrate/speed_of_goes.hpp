// How fast messages were in each go of a calibration.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "tilewright/model/cells.hpp"

namespace tilewright {

/// What a cell takes in the goes of one launch in which it was measured.
using TimesOfGoes = std::map<int, Estimate>;

/// How much longer or shorter messages took in one go than in the mean of all. Ranks change places between goes, and
/// one processor of a node may be half as fast as another one for minutes. What was measured in some goes only, a size
/// that was added late or blocks for which there was no more time, would tell of those; the cells that all goes have
/// measured tell what the others would have been.
class SpeedOfGoes {
 public:
  void add(const PathCell& cell, int launch, const TimesOfGoes& times);

  /// The cell's times, each as in the mean of the launch's goes: of a cell that most of them have measured, as they
  /// are; and so without others of its path, layout and ends that tell. The cell has been added.
  [[nodiscard]] std::vector<Estimate> in_the_mean(const PathCell& cell, int launch, const TimesOfGoes& times) const;
  /// How many times as long as in the mean of the launch's goes messages like that, which all of them have measured,
  /// took in this one; 1 if there are none. The cell has been added.
  [[nodiscard]] double factor(const PathCell& cell, int launch, int go) const;

 private:
  struct Cell {
    std::int64_t bytes = 0;
    TimesOfGoes times;
  };
  /// Cells of one path, layout and placement.
  struct Alike {
    std::vector<Cell> cells;
    std::size_t goes = 0;  ///< of those that have most
  };
  using Key = std::tuple<int, Path, Layout, bool>;

  [[nodiscard]] static Key key_of(const PathCell& cell, int launch);
  /// The median of the whole cells of nearly that size.
  [[nodiscard]] static double factor(const Alike& alike, std::int64_t bytes, int go);

  std::map<Key, Alike> all_;
};

}  // namespace tilewright
