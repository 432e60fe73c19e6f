// The database of measured machines: one SQLite file, and beside it one of what was run. Only rank 0 opens them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tilewright/benchdb/stored_run.hpp"
#include "tilewright/model/machine_profile.hpp"

namespace tilewright {

/// `explicit_path` if not empty, else TILEWRIGHT_DB, else $XDG_DATA_HOME/tilewright/bench.sqlite, else
/// ~/.local/share/tilewright/bench.sqlite. Throws ParameterError if HOME is needed and not set.
[[nodiscard]] std::filesystem::path default_database(const std::string& explicit_path = {});

/// Whether something is kept there: an empty file holds nothing yet. Says nothing of what it is.
[[nodiscard]] bool has_database(const std::filesystem::path& path);

/// One machine as `db list` shows it.
struct MachineSummary {
  std::string name;
  Fingerprint fingerprint;
  std::size_t path_cells = 0;
  std::size_t operator_cells = 0;
  std::size_t raw_samples = 0;
};

enum class OpenMode {
  existing,  ///< the file must be there; writing works if it may be written
  create,    ///< made with its folders if it does not exist; it must be writable
};

/// An output that was written completely, for --tw-resume.
struct FinishedOutput {
  std::string path;       ///< absolute
  std::string pipeline;   ///< fingerprint of what was computed, inputs' identity included
  std::int64_t size = 0;  ///< of the file
  std::int64_t modified_ns = 0;
  bool operator==(const FinishedOutput&) const = default;
};

/// The process that calibrates a machine.
struct Calibrator {
  std::string host;
  std::int64_t process = 0;
  std::int64_t heard_s = 0;  ///< when it was heard of last, in seconds since 1970
  /// When it began, in a form that two processes of one number do not have in common; empty where that is not known.
  std::string started = {};
  [[nodiscard]] bool is_same_process(const Calibrator& other) const {
    const bool is_known = !started.empty() && !other.started.empty();
    return host == other.host && process == other.process && (!is_known || started == other.started);
  }
};

/// Throws RuntimeError, naming the file, when it is damaged, is no database of Tilewright, has a newer schema, cannot
/// be read or written, or is held by another process for 20 s. Such a file is left as it is. An empty file is a
/// database without machines. Several processes may use one file at a time.
class Store {
 public:
  Store(const std::filesystem::path& path, OpenMode mode);
  ~Store();
  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;

  [[nodiscard]] std::vector<MachineSummary> machines() const;
  /// Throws ParameterError that lists the known machines if `name` is none of them.
  [[nodiscard]] MachineProfile profile(const std::string& name) const;
  /// The newest profile whose fingerprint names this host, of those with costs of messages and of operators, if there
  /// are any; none if there is none at all.
  [[nodiscard]] std::optional<MachineProfile> profile_of_host(const std::string& host) const;
  [[nodiscard]] std::vector<RawSample> samples(const std::string& name) const;
  /// Keeps what was found of the machine, until it is refreshed or calibrated again. Throws ParameterError as profile()
  /// does.
  void keep_refresh(const std::string& name, const Refresh& refresh);
  /// All or nothing; replaces a machine of the same name. What save_unfinished() has kept under it stays. Throws
  /// ParameterError for a machine without name, or whose name is not UTF-8, or a number that is not finite.
  void save(const Calibration& calibration);

  /// Makes `who` the one that calibrates the machine, known or not; unless another one is at work on it, as
  /// `is_at_work` says of the one before: then that one is returned, and nothing is changed. In one transaction: of
  /// several that claim a machine at a time one gets it.
  [[nodiscard]] std::optional<Calibrator> claim(const std::string& machine, const Calibrator& who,
                                                const std::function<bool(const Calibrator&)>& is_at_work);
  /// What `who` has claimed is free again; nothing if it is another's by now.
  void release(const std::string& machine, const Calibrator& who);
  /// Keeps the calibration by `who` that is going on beside the machine's present profile, which stays in use, and when
  /// `who` was heard of. All or nothing. Throws RuntimeError if the machine is not, or no longer, claimed by `who`.
  void save_unfinished(const Calibration& calibration, const Calibrator& who);
  /// The one that is going on, or was interrupted; its profile has the machine's name.
  [[nodiscard]] std::optional<Calibration> unfinished(const std::string& name) const;
  /// save() at the end of a calibration by `who`: nothing is unfinished or claimed any more. All or nothing. Throws as
  /// save_unfinished() does.
  void finish(const Calibration& calibration, const Calibrator& who);
  /// With all that belongs to it: also what is unfinished of it, and the claim of who calibrates it, which has no place
  /// to keep anything in from then on. Throws ParameterError as profile() does if there is nothing of it.
  void remove(const std::string& name);

  void record_output(const FinishedOutput& output);
  [[nodiscard]] std::optional<FinishedOutput> finished_output(const std::string& path) const;

  /// Keeps what was run by the machine's profile, until the machine is calibrated again; of each machine's runs the 100
  /// newest. In a file of their own (the database's name and ".runs"), of which nobody makes sure that it is on the
  /// disk: that would take longer than many a run. Throws ParameterError as profile() does.
  void record_runs(const std::string& machine, const std::vector<StoredRun>& runs);
  /// The newest first. Throws ParameterError as profile() does.
  [[nodiscard]] std::vector<StoredRun> runs(const std::string& machine) const;
  /// Of these, those that tell of the costs as they are now: that were run since the last refresh, if there was one.
  [[nodiscard]] std::vector<StoredRun> runs_since_refresh(const std::string& machine) const;
  /// Makes the plan of that run the one that its pipeline is run by on that machine, from now on and after other
  /// calibrations. Throws ParameterError if there is no such run.
  void pin(const std::string& machine, std::int64_t run);
  /// Throws ParameterError if nothing is pinned for the pipeline.
  void unpin(const std::string& machine, const std::string& pipeline);
  [[nodiscard]] std::vector<PinnedPlan> pins(const std::string& machine) const;

  /// Integrity of the file and of every profile in it: the problems found, none if all is well.
  [[nodiscard]] std::vector<std::string> check() const;

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace tilewright
