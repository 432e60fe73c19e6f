// The raw samples of one calibration, in the order in which they were taken.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tilewright/model/machine_profile.hpp"

namespace tilewright {

class SampleLog {
 public:
  void add(std::string cell, double seconds) {
    samples_.push_back({std::move(cell), 0, static_cast<std::int64_t>(samples_.size()), seconds});
  }
  [[nodiscard]] std::vector<RawSample> take() { return std::move(samples_); }

 private:
  std::vector<RawSample> samples_;
};

}  // namespace tilewright
