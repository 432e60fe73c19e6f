#include "tilewright/model/path_row.hpp"

#include <algorithm>

namespace tilewright {
namespace {

/// Neighbours that share one time.
struct Pool {
  double seconds = 0;
  double uncertainty_s = 0;
  double weight = 0;
  std::size_t points = 1;
};

bool falls_by_noise(const Pool& before, const Pool& after) {
  const double fall = before.seconds - after.seconds;
  return fall > 0 && fall <= before.uncertainty_s + after.uncertainty_s;
}

Pool pooled(const Pool& a, const Pool& b) {
  const double weight = a.weight + b.weight;
  return {(a.seconds * a.weight + b.seconds * b.weight) / weight, std::min(a.uncertainty_s, b.uncertainty_s), weight,
          a.points + b.points};
}

}  // namespace

void PathRow::settle() {
  std::vector<Pool> pools;
  for (const Point& point : points_) {
    const double weight = static_cast<double>(std::max<std::int64_t>(1, point.samples));
    pools.push_back({point.seconds, point.uncertainty_s, weight});
    while (pools.size() > 1 && falls_by_noise(pools[pools.size() - 2], pools.back())) {
      pools[pools.size() - 2] = pooled(pools[pools.size() - 2], pools.back());
      pools.pop_back();
    }
  }
  auto point = points_.begin();
  for (const Pool& pool : pools) {
    for (std::size_t i = 0; i < pool.points; ++i, ++point) point->seconds = pool.seconds;
  }
}

const PathRow::Point& PathRow::nearest(double bytes) const {
  return *std::find_if(points_.begin(), points_.end() - 1, [&](const Point& point) { return bytes <= point.bytes; });
}

double PathRow::seconds(double bytes) const {
  if (points_.size() == 1) return points_.front().seconds;
  const auto above =
      std::find_if(points_.begin() + 1, points_.end() - 1, [&](const Point& p) { return bytes <= p.bytes; });
  const Point& low = *(above - 1);
  const double slope = (above->seconds - low.seconds) / (above->bytes - low.bytes);
  if (bytes > above->bytes && slope < 0) return above->seconds;  // what is larger takes no less: the cells err
  return std::max(0.0, low.seconds + (bytes - low.bytes) * slope);
}

}  // namespace tilewright
