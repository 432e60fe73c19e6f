#include "sample_log.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "stopwatch.hpp"

namespace tilewright {

namespace {

constexpr double interval_s = 10;
constexpr double largest_share = 0.02;  // of the time, for checkpoints

}  // namespace

SampleLog::SampleLog(std::vector<RawSample> before, int launch, Checkpoint checkpoint)
    : samples_(std::move(before)),
      before_(samples_.size()),
      launch_(launch),
      checkpoint_(std::move(checkpoint)),
      next_s_(now_s() + interval_s) {}

void SampleLog::add(std::string cell, double seconds, bool disturbed) {
  samples_.push_back({std::move(cell), launch_, static_cast<std::int64_t>(samples_.size()), seconds, disturbed});
  if (checkpoint_ && now_s() >= next_s_) checkpoint();
}

std::vector<RawSample> SampleLog::of_cell(const std::string& cell) const {
  std::vector<RawSample> found;
  std::copy_if(samples_.begin(), samples_.begin() + static_cast<std::ptrdiff_t>(before_), std::back_inserter(found),
               [&](const RawSample& sample) { return sample.launch == launch_ && sample.cell == cell; });
  return found;
}

void SampleLog::checkpoint() {
  const double start_s = now_s();
  if (checkpoint_) checkpoint_(samples_);
  next_s_ = now_s() + std::max(interval_s, (now_s() - start_s) / largest_share);
}

}  // namespace tilewright
