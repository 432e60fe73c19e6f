// The rows of runs and of pinned plans. The caller holds the transaction.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tilewright/benchdb/stored_run.hpp"

namespace tilewright {

/// Of a machine's runs the newest ones stay.
inline constexpr int most_stored_runs = 100;

/// Adds them to the machine's, in that order; their ids are ignored. Runs are attached (run_file.hpp).
void insert_runs(SQLite::Database& database, std::int64_t machine, const std::vector<StoredRun>& runs);
/// The newest first. Runs are attached.
[[nodiscard]] std::vector<StoredRun> load_runs(const SQLite::Database& database, std::int64_t machine);
/// Takes over those that a database of schema 5 to 7 has itself. Runs are attached.
void move_runs(SQLite::Database& database);

/// Plans are pinned under the machine's name: they outlive its next calibration. Replaces what is pinned for the
/// pipeline.
void insert_pin(SQLite::Database& database, const std::string& machine, const PinnedPlan& pin);
/// Whether there was one.
bool delete_pin(SQLite::Database& database, const std::string& machine, const std::string& pipeline);
[[nodiscard]] std::vector<PinnedPlan> load_pins(const SQLite::Database& database, const std::string& machine);

}  // namespace tilewright
