#include "sample_log.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "stopwatch.hpp"

namespace tilewright {

SampleLog::SampleLog(std::vector<RawSample> before, int launch, Checkpoint checkpoint)
    : samples_(std::move(before)), launch_(launch), checkpoint_(std::move(checkpoint)), last_s_(now_s()) {}

void SampleLog::add(std::string cell, double seconds, bool disturbed) {
  samples_.push_back({std::move(cell), launch_, static_cast<std::int64_t>(samples_.size()), seconds, disturbed});
  if (checkpoint_ && now_s() - last_s_ >= interval_s) checkpoint();
}

std::vector<RawSample> SampleLog::of_cell(const std::string& cell) const {
  std::vector<RawSample> found;
  std::copy_if(samples_.begin(), samples_.end(), std::back_inserter(found),
               [&](const RawSample& sample) { return sample.launch == launch_ && sample.cell == cell; });
  return found;
}

void SampleLog::checkpoint() {
  if (checkpoint_) checkpoint_(samples_);
  last_s_ = now_s();
}

}  // namespace tilewright
