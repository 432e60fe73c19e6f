// The raw samples of a calibration, in the order in which they were taken.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
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
  /// What this launch had of the cell before it was interrupted, or before this round; where it has goes, in this one.
  [[nodiscard]] std::vector<RawSample> of_cell(const std::string& cell) const;
  /// The names of the cells that it had then, or in any go.
  [[nodiscard]] std::vector<std::string> cells_before() const;
  /// Whether none of these cells need be measured: each was, and is settled as far as rounds before have told, or no
  /// time is left.
  [[nodiscard]] bool is_done(const std::vector<PathCell>& cells, double budget_s) const;
  /// Whether no operators need be measured: all are settled as far as rounds before have told, or there were some and
  /// no time is left.
  [[nodiscard]] bool operators_are_done(bool time_is_left) const;
  /// A go over all messages, and then over the operators, begins: what was measured in those before counts as if it had
  /// not been, for it tells of their time alone.
  void begin_go();
  /// The same of the go in which the launch was interrupted: what it had by then still counts. Operators at the end are
  /// of this go if it had come so far, `in_operators`; else it had no sample yet.
  void resume_go(bool in_operators);
  /// What has been taken so far is from before. False if it leaves cells that are not settled.
  bool begin_round();
  void checkpoint();
  [[nodiscard]] const std::vector<RawSample>& samples() const { return samples_; }

 private:
  void index(std::size_t first = 0);
  [[nodiscard]] bool is_settled(const std::string& cell) const { return unsettled_ && !unsettled_->contains(cell); }

  std::vector<RawSample> samples_;
  std::map<std::string, std::vector<std::size_t>> before_;  ///< of this launch or go, by cell: their places among all
  std::set<std::string> cells_before_;                      ///< of this launch
  std::optional<std::set<std::string>> unsettled_;          ///< not known before the second round
  int launch_ = 0;
  Checkpoint checkpoint_;
  double next_s_ = 0;
};

}  // namespace tilewright
