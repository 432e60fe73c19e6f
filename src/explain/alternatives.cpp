#include "alternatives.hpp"

#include <algorithm>
#include <limits>

namespace tilewright {

std::vector<Alternative> best_first(const std::vector<Alternative>& alternatives) {
  std::vector<Alternative> sorted = alternatives;
  const auto key = [](const Alternative& a) {
    return a.predicted_seconds.value_or(a.lower_bound_seconds.value_or(std::numeric_limits<double>::infinity()));
  };
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](const Alternative& a, const Alternative& b) { return key(a) < key(b); });
  return sorted;
}

}  // namespace tilewright
