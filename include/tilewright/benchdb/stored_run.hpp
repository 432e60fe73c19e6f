// A plan that was run, as the database keeps it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace tilewright {

struct StoredRun {
  std::int64_t id = 0;   ///< given by the database; grows with time
  std::string pipeline;  ///< its hash
  std::string program;
  std::string date;  ///< ISO 8601, UTC
  int ranks = 1;     ///< that took part
  std::string grid;
  std::optional<double> predicted_s;
  double measured_s = 0;
  std::string plan;  ///< JSON, with its steps' measured times
  bool operator==(const StoredRun&) const = default;
};

/// The plan that a pipeline has to be run by on a machine, whatever a search would find.
struct PinnedPlan {
  std::string pipeline;
  std::string program;
  std::string date;  ///< of the run that it was taken from
  std::string plan;  ///< JSON
  bool operator==(const PinnedPlan&) const = default;
};

}  // namespace tilewright
