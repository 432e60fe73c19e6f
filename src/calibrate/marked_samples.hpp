// Samples that tell whether something from outside disturbed them.
#pragma once

#include <cstddef>
#include <vector>

namespace tilewright {

struct MarkedSample {
  double seconds = 0;
  bool disturbed = false;
  bool operator==(const MarkedSample&) const = default;
};

/// The times of those that count: what was disturbed is left out as long as it is no more than a quarter. Where it is
/// more (strangers have much of the machine), being disturbed is how things are, and the others would tell of lucky
/// moments: then all count, and the median bears what is out of line. So a cell that has samples has some that count.
/// `Sample` has the members of MarkedSample.
template <class Sample>
[[nodiscard]] std::vector<double> counted(const std::vector<Sample>& samples) {
  std::vector<double> all, undisturbed;
  for (const Sample& sample : samples) {
    all.push_back(sample.seconds);
    if (!sample.disturbed) undisturbed.push_back(sample.seconds);
  }
  return 4 * undisturbed.size() >= 3 * all.size() ? undisturbed : all;
}

}  // namespace tilewright
