// Measures a machine: P-3PC's Fig. 8 between ranks 0 and 1, and the sequential cost of every operator.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tilewright/model/machine_profile.hpp"
#include "tilewright/runtime/communicator.hpp"

namespace tilewright {

enum class Effort { quick, standard, thorough };
/// Throws ParameterError for an unknown name.
[[nodiscard]] Effort parse_effort(std::string_view text);
[[nodiscard]] std::string_view to_string(Effort effort);

struct CalibrationOptions {
  std::string machine;  ///< the name to store it under
  Effort effort = Effort::quick;
  /// Message sizes in 4-byte values (P-3PC, section 5: 0, 1K, 50K, 100K, 500K).
  std::vector<std::int64_t> sizes = {0, 1024, 51200, 102400, 512000};
  /// Called on the root: share of the work that is done, 0 to 1, and what is measured now.
  std::function<void(double, const std::string&)> on_progress;
};

/// Collective. The calibration on the root; an empty one elsewhere. With one rank only operators are measured.
[[nodiscard]] Calibration calibrate(const Communicator& communicator, const CalibrationOptions& options);

/// What this process runs on, without any measurement. Host, processor, cores, memory, MPI, UCX settings, date.
[[nodiscard]] Fingerprint fingerprint_of(const Communicator& communicator);

}  // namespace tilewright
