#include "root_attention.hpp"

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

double received_while_computing(const MachineProfile& profile, double bytes) {
  const bool is_known =
      profile.has(Path::collected, Layout::cc, Packing::blocked) && profile.has(Path::all_to_one, Layout::cc);
  if (!is_known) return 0;
  const double receiving_s = profile.path_seconds(Path::all_to_one, Layout::cc, bytes);
  const double left_s = profile.path_seconds(Path::collected, Layout::cc, bytes, Packing::blocked);
  return receiving_s > 0 ? std::clamp(1 - left_s / receiving_s, 0.0, 1.0) : 0;
}

}  // namespace tilewright
