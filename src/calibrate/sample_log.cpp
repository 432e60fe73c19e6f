#include "sample_log.hpp"

#include <algorithm>
#include <utility>

#include "settled.hpp"
#include "stopwatch.hpp"
#include "tilewright/model/cell_names.hpp"

namespace tilewright {

namespace {

constexpr double interval_s = 10;
constexpr double largest_share = 0.02;  // of the time, for checkpoints

bool is_operator(const std::string& cell) {
  return operator_cell_named(cell).has_value();
}

}  // namespace

SampleLog::SampleLog(std::vector<RawSample> before, int launch, Checkpoint checkpoint)
    : samples_(std::move(before)), launch_(launch), checkpoint_(std::move(checkpoint)), next_s_(now_s() + interval_s) {
  index();
}

void SampleLog::add(std::string cell, double seconds, bool disturbed) {
  samples_.push_back({std::move(cell), launch_, static_cast<std::int64_t>(samples_.size()), seconds, disturbed});
  if (checkpoint_ && now_s() >= next_s_) checkpoint();
}

std::vector<RawSample> SampleLog::of_cell(const std::string& cell) const {
  std::vector<RawSample> found;
  const auto places = before_.find(cell);
  if (places == before_.end()) return found;
  for (const std::size_t place : places->second) found.push_back(samples_[place]);
  return found;
}

std::vector<std::string> SampleLog::cells_before() const {
  return {cells_before_.begin(), cells_before_.end()};
}

bool SampleLog::is_done(const std::vector<PathCell>& cells, double budget_s) const {
  return std::all_of(cells.begin(), cells.end(), [&](const PathCell& cell) {
    const std::string name = cell_name(cell);
    return before_.contains(name) && (budget_s <= 0 || is_settled(name));
  });
}

bool SampleLog::operators_are_done(bool time_is_left) const {
  if (time_is_left) return unsettled_ && std::none_of(unsettled_->begin(), unsettled_->end(), is_operator);
  return std::any_of(before_.begin(), before_.end(), [&](const auto& known) { return is_operator(known.first); });
}

void SampleLog::begin_go() {
  index(samples_.size());
}

void SampleLog::resume_go(bool in_operators) {
  std::size_t first = samples_.size();
  const auto last_is = [&](bool of_operators) {
    return first > 0 && samples_[first - 1].launch == launch_ && is_operator(samples_[first - 1].cell) == of_operators;
  };
  while (in_operators && last_is(true)) --first;
  while (last_is(false)) --first;
  index(first);
}

bool SampleLog::begin_round() {
  index();
  unsettled_ = unsettled_cells(samples_, launch_);
  return unsettled_->empty();
}

/// Of what was taken from `first` on.
void SampleLog::index(std::size_t first) {
  before_.clear();
  for (std::size_t i = 0; i < samples_.size(); ++i) {
    if (samples_[i].launch != launch_) continue;
    cells_before_.insert(samples_[i].cell);
    if (i >= first) before_[samples_[i].cell].push_back(i);
  }
}

void SampleLog::checkpoint() {
  const double start_s = now_s();
  if (checkpoint_) checkpoint_(samples_);
  next_s_ = now_s() + std::max(interval_s, (now_s() - start_s) / largest_share);
}

}  // namespace tilewright
