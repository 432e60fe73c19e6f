#include "both_ways.hpp"

#include <algorithm>

namespace tilewright {

double both_ways(const MachineProfile& profile) {
  constexpr double bytes = 128 * 1024;  // start-ups count for little
  const auto seconds = [&](Path pattern) -> double {
    return profile.has(pattern, Layout::cc) ? profile.path_seconds(pattern, Layout::cc, bytes) : 0;
  };
  const double sending_s = seconds(Path::one_to_all);
  const double receiving_s = seconds(Path::all_to_one);
  const double both_s = seconds(Path::all_to_one_to_all);
  const double shorter_s = std::min(sending_s, receiving_s);
  if (shorter_s <= 0 || both_s <= 0) return 0;
  return std::clamp((sending_s + receiving_s - both_s) / shorter_s, 0.0, 1.0);
}

}  // namespace tilewright
