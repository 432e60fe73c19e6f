#include <algorithm>
#include <cmath>

#include "tilewright/model/cells.hpp"

namespace tilewright {

double standard_error_s(const Estimate& time) {
  if (time.samples == 0) return 0;
  // Half the interquartile range is 0.6745 standard deviations, and the standard error of the median 1.2533 of them
  // over the root of the number of samples.
  constexpr double median_error_over_spread = 1.2533 / 0.6745;
  return median_error_over_spread * time.spread_s / std::sqrt(static_cast<double>(time.samples));
}

double noise_s(const Estimate& time) {
  return time.samples >= samples_enough ? std::min(time.spread_s, 2 * standard_error_s(time)) : time.spread_s;
}

}  // namespace tilewright
