// Measures a machine: P-3PC's Fig. 8 between two ranks, on two nodes if there are, and the cost of every operator while
// all ranks compute at once.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
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
  std::string machine = {};  ///< the name to store it under
  Effort effort = Effort::quick;
  /// Message sizes in 4-byte values (P-3PC, section 5: 0, 1K, 50K, 100K, 500K; and between, where borders and tiles of
  /// common images lie, and where MPI and TCP change their ways: over TCP 1200 bytes take twice as long as 2400, for
  /// shorter messages are copied first; in shared memory a message beyond 8 KiB is no longer sent in one go, so that
  /// both sides of it are here). 0 is measured in any case.
  std::vector<std::int64_t> sizes = {0,    16,   64,   256,   512,   1024,  2048,  2176,   3072,
                                     4096, 6144, 8192, 12288, 16384, 32768, 51200, 102400, 512000};
  /// The root's. Of the order in which cells are measured; the profile's settings keep that of each launch. None: from
  /// the clock.
  std::optional<std::uint64_t> seed = std::nullopt;
  /// Seconds to measure for, instead of what the effort gives. Cells that no time is left for are measured once, as far
  /// as the profile needs them, and left out else.
  std::optional<double> budget_s = std::nullopt;
  /// A thorough calibration measures all again and again, for about so long each time, until every cell is settled.
  double round_s = 900;
  /// The root's. Samples of earlier launches, and of this one (`launch`), which was interrupted after `measured_s`
  /// seconds and goes on from there.
  std::vector<RawSample> before = {};
  int launch = 0;
  double measured_s = 0;
  /// The root's. The seeds of the launches before this one, as far as they are known.
  std::vector<std::string> seeds_before = {};
  /// Called on the root at the start, and every 10 s or so, with all that is known by then and the seconds that it
  /// took. What is kept so is not lost when the calibration is interrupted.
  std::function<void(const Calibration&, double)> on_checkpoint = nullptr;
  /// Called on the root whenever all has been measured once more and a thorough calibration goes on all the same: with
  /// what it would be if it ended there.
  std::function<void(const Calibration&)> on_round = nullptr;
  /// Called on the root: share of the work that is done, 0 to 1, and what is measured now.
  std::function<void(double, const std::string&)> on_progress = nullptr;
};

/// The seconds that an effort gives to measuring: 13 s, 170 s, and up to four hours, for a thorough calibration goes on
/// until every cell is settled.
[[nodiscard]] double budget_seconds(Effort effort);

/// Collective. The calibration on the root; an empty one elsewhere. With one rank only operators are measured.
/// A cell's bytes are those really sent: 4000 for 1024 values in 100 blocks. A full path whose round trips contradict
/// the empty message's, however often they were repeated, is left out. Throws ParameterError for a size or a budget
/// below zero, on every rank. Source: P-3PC, section 5 and Fig. 8.
[[nodiscard]] Calibration calibrate(const Communicator& communicator, const CalibrationOptions& options);

/// What this process runs on, without any measurement. Host, processor, cores, memory, MPI, UCX settings, date.
/// Not collective; touches MPI only for its version.
[[nodiscard]] Fingerprint fingerprint_of(const Communicator& communicator);
/// The same of a launch by these options: with its effort and its message sizes.
[[nodiscard]] Fingerprint fingerprint_of(const Communicator& communicator, const CalibrationOptions& options);

}  // namespace tilewright
