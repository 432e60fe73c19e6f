// Runs programs as a shell would.
#pragma once

#include <filesystem>
#include <string>

namespace tilewright::test {

struct Outcome {
  int status = 0;
  std::string out;
  std::string error;
};

/// Runs `command` through the shell, in `folder`, for at most 120 s; 124 is the status of a hang.
[[nodiscard]] Outcome run(const std::string& command, const std::filesystem::path& folder);

/// A folder for a suite's files, empty at first. It stays after the run, to be looked at.
[[nodiscard]] std::filesystem::path fresh_folder(const std::string& name);

/// "mpiexec -n RANKS".
[[nodiscard]] std::string mpiexec(int ranks);
/// Path of a built program.
[[nodiscard]] std::string program(const std::string& name);

/// The program alone (0 ranks) or on so many ranks, in `folder`, with the measurements that are there or will be.
[[nodiscard]] Outcome run_program(const std::filesystem::path& folder, int ranks, const std::string& name,
                                  const std::string& arguments);

/// Measures this machine quickly on two ranks, into `database`; once for each file. Returns what the command gave.
[[nodiscard]] Outcome calibrate_into(const std::filesystem::path& database);
/// The same for suites that do not care when it was measured: they share what one of them has, unless the command has
/// been built since.
[[nodiscard]] Outcome copy_calibrated_into(const std::filesystem::path& database);

}  // namespace tilewright::test
