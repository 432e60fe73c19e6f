// What a machine profile holds for, and how it was made.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace tilewright {

/// What a profile holds for, and how it was made.
struct Fingerprint {
  std::string host;
  std::string processor;
  int cores_per_node = 0;            ///< 0: unknown
  std::int64_t memory_per_node = 0;  ///< bytes; 0: unknown
  int nodes = 0;                     ///< nodes taking part in the calibration; 0: unknown
  int ranks = 0;                     ///< ranks taking part; 0: unknown
  std::string mpi;
  /// The UCX_* variables in force, the seeds of the measurement, and what a refresh has found (Refresh).
  std::map<std::string, std::string> settings;
  std::string effort;
  std::string date;    ///< ISO 8601, UTC
  std::string source;  ///< where imported numbers come from
  std::string simd;    ///< vector level of the operator costs
  bool operator==(const Fingerprint&) const = default;
};

/// Those that took part on each node; all, if how many nodes there were is unknown.
[[nodiscard]] constexpr int ranks_per_node(const Fingerprint& fingerprint) {
  return fingerprint.ranks / (fingerprint.nodes > 0 ? fingerprint.nodes : 1);
}

}  // namespace tilewright
