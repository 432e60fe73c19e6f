// A calibration that the database keeps while it goes on: who is at work on it, and which measurements may be put
// together.
#pragma once

#include <string>

#include "tilewright/benchdb/store.hpp"
#include "tilewright/calibrate/calibrate.hpp"

namespace tilewright {

/// This process, heard of now.
[[nodiscard]] Calibrator this_calibrator();

/// Whether it may still be measuring: if it runs, on this host, and is not another that has its number since; one
/// elsewhere that has not been heard of for five minutes is taken for dead.
[[nodiscard]] bool is_at_work(const Calibrator& who);

/// The claim of this process on a machine: as long as it lasts, no other process calibrates the machine into that
/// database. Of the root alone.
class MachineClaim {
 public:
  /// Throws ParameterError if another process is at work on the machine. The store must outlive this.
  MachineClaim(Store& store, std::string machine);
  /// Gives it up.
  ~MachineClaim();
  MachineClaim(const MachineClaim&) = delete;
  MachineClaim& operator=(const MachineClaim&) = delete;

  /// Keeps what is known after `measured_s` seconds, to be gone on with if this is interrupted.
  void keep(const Calibration& so_far, double measured_s);
  /// The machine's profile from now on.
  void finish(const Calibration& calibration);

 private:
  Store& store_;
  std::string machine_;
};

/// "'m' was measured on 2026-11-26T10:00:00Z (4711 samples)", if the machine's profile stands on measurements: they
/// took minutes or hours of a whole cluster, and are lost when it is replaced. Empty else.
[[nodiscard]] std::string measured_before(const Store& store, const std::string& machine);

/// What the measurements by `now` must not be put together with those by `before`, for they are not of one machine:
/// hosts and ranks, the MPI library, UCX's settings, the vectors, or the message sizes that were given. Names the two
/// values; empty if nothing differs. Sizes that are not known do not differ.
[[nodiscard]] std::string difference_of_conditions(const Fingerprint& before, const Fingerprint& now);

struct Continuation {
  bool add = false;     ///< one more launch, beside those of the machine's profile
  bool afresh = false;  ///< not on with what was interrupted
};

/// Fills in what the database has from before: the launches of the machine's profile, which one is added to, and what
/// was measured of the launch of the same number, effort and seed that was interrupted. `now` is the fingerprint of the
/// launch. Returns what to tell people of that; empty if nothing was interrupted. Throws ParameterError if a launch is
/// to be added to others that were made under other conditions.
[[nodiscard]] std::string continue_from(const Store& store, const Fingerprint& now, const Continuation& wanted,
                                        CalibrationOptions& options);

}  // namespace tilewright
