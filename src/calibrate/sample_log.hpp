// The raw samples of a calibration, in the order in which they were taken.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tilewright/model/machine_profile.hpp"

namespace tilewright {

class SampleLog {
 public:
  using Checkpoint = std::function<void(const std::vector<RawSample>&)>;

  SampleLog() = default;
  /// Goes on after `before`: samples of `launch` among them were taken by this one before it was interrupted, others by
  /// earlier launches. `checkpoint` may be empty.
  SampleLog(std::vector<RawSample> before, int launch, Checkpoint checkpoint);

  /// It is a checkpoint, too, every 10 s, or more rarely where checkpoints take long: a rank with a share of a core has
  /// better things to do.
  void add(std::string cell, double seconds, bool disturbed = false);
  /// What this launch had of the cell before it was interrupted.
  [[nodiscard]] std::vector<RawSample> of_cell(const std::string& cell) const;
  void checkpoint();
  [[nodiscard]] const std::vector<RawSample>& samples() const { return samples_; }

 private:
  std::vector<RawSample> samples_;
  std::size_t before_ = 0;  ///< so many samples were there at the start
  int launch_ = 0;
  Checkpoint checkpoint_;
  double next_s_ = 0;
};

}  // namespace tilewright
