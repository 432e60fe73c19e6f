// What earlier runs tell: plans that are pinned, and whether the profile still holds; and what this one adds to it.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tilewright/benchdb/run_drift.hpp"
#include "tilewright/benchdb/stored_run.hpp"
#include "tilewright/model/plan.hpp"
#include "tilewright/session/options.hpp"

namespace tilewright {

/// As the database writes it.
[[nodiscard]] std::string pipeline_name(std::uint64_t hash);

/// Of one machine; root only.
class RunHistory {
 public:
  /// What the database has; nothing without one. `program` is the path of the one that runs.
  RunHistory(const SessionOptions& options, const std::string& machine, const std::string& program);

  [[nodiscard]] bool has_pinned(std::uint64_t pipeline_hash) const;
  /// The plan that is pinned for the pipeline, with a note that says so; none if there is none, or if it needs more
  /// ranks.
  [[nodiscard]] std::optional<Plan> pinned(std::uint64_t pipeline_hash, int ranks) const;
  /// That runs take longer or shorter than predicted; empty if they do not.
  [[nodiscard]] std::string staleness() const;

  /// To be kept; of many, the last ones.
  void add(const Trace& trace);
  /// Writes what was added. A database that cannot be written is told on standard error: the run itself has succeeded.
  void keep();

 private:
  /// Null if there is none.
  [[nodiscard]] const PinnedPlan* pin_of(std::uint64_t pipeline_hash) const;

  std::filesystem::path database_;
  std::string machine_;
  std::string program_;
  bool is_kept_;  ///< only what the machine's own profile and the default model predict
  std::vector<PinnedPlan> pins_;
  std::optional<RunDrift> drift_;
  std::deque<StoredRun> added_;
};

}  // namespace tilewright
