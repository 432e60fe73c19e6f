// The measured times of one path and layout as a function of the size.
#pragma once

#include <cstdint>
#include <vector>

namespace tilewright {

/// Piecewise linear between its points, the last segment extended beyond them.
class PathRow {
 public:
  struct Point {
    double bytes = 0;
    double seconds = 0;
    double uncertainty_s = 0;  ///< 0: exact, as a paper's numbers are
    std::int64_t samples = 0;  ///< its weight against its neighbours'
    bool operator==(const Point&) const = default;
  };

  /// Points come by size, ascending.
  void add(const Point& point) { points_.push_back(point); }
  /// More bytes take no less time: where a time falls by no more than the two are uncertain, it is noise, and both take
  /// their weighted mean (pool adjacent violators). What falls by more is another protocol, and stays.
  void settle();

  [[nodiscard]] bool empty() const { return points_.empty(); }
  /// Never negative; constant for a row of one point. There must be one.
  [[nodiscard]] double seconds(double bytes) const;
  /// The nearest point that is not smaller, or the last. There must be one.
  [[nodiscard]] const Point& nearest(double bytes) const;

  bool operator==(const PathRow&) const = default;

 private:
  std::vector<Point> points_;
};

}  // namespace tilewright
