// What a unit of an operator's work takes, between and beyond what was measured.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tilewright/core/pixel.hpp"
#include "tilewright/model/cells.hpp"
#include "tilewright/model/thread_losses.hpp"

namespace tilewright {

class OperatorCosts {
 public:
  OperatorCosts() = default;
  /// Of cells by key, type, parameter, pixels, ranks and threads, ascending.
  explicit OperatorCosts(const std::vector<OperatorCell>& cells);

  /// Seconds a unit with `ranks` at work: linear in the parameter and in the logarithm of the tile's pixels, constant
  /// beyond the sizes measured, the last segment extended in the parameter. Of cells that were measured both with one
  /// rank at work and with several, the one like `ranks` counts. With several threads a rank: an even share, and what
  /// threads lose (ThreadLosses); a type whose loss was not measured loses in proportion as floats do, and a key whose
  /// loss was not measured, nothing. None if the key or type was not measured.
  [[nodiscard]] std::optional<double> seconds(const std::string& key, PixelType type, double parameter,
                                              double tile_pixels, int ranks, int threads) const;

  bool operator==(const OperatorCosts&) const = default;

 private:
  /// What a unit takes on a tile of that size, with one rank at work; with several, where a later one is as large.
  struct TimeOfSize {
    double pixels = 0;
    double log_pixels = 0;  ///< planning would make them a hundred thousand times
    double seconds = 0;
    bool operator==(const TimeOfSize&) const = default;
  };
  /// Those of times_ from `first` on, without `last`.
  struct Point {
    double parameter = 0;
    std::size_t first = 0;
    std::size_t last = 0;
    bool operator==(const Point&) const = default;
  };
  struct Row {
    std::string key;
    PixelType type = PixelType::f32;
    std::vector<Point> points;  ///< ascending
    bool operator==(const Row&) const = default;
  };

  void make_rows(const std::vector<OperatorCell>& cells);
  void add_larger_sizes(std::vector<Point>& points);
  void find_thread_losses(const std::vector<OperatorCell>& cells);
  [[nodiscard]] double seconds_at(const Point& point, double pixels, double log_pixels, int ranks) const;
  [[nodiscard]] std::optional<double> seconds_of_one_thread(const std::string& key, PixelType type, double parameter,
                                                            double tile_pixels, int ranks) const;
  [[nodiscard]] double relative_loss(const std::string& key, PixelType type, double parameter, double tile_pixels,
                                     int threads) const;

  std::vector<TimeOfSize> times_;  ///< with one thread; those of a point by size, then ranks
  std::vector<Row> rows_;          ///< by type, which is compared faster, and key
  ThreadLosses thread_losses_;
};

}  // namespace tilewright
