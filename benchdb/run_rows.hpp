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

/// Adds them to the machine's, in that order; their ids are ignored.
void insert_runs(SQLite::Database& database, std::int64_t machine, const std::vector<StoredRun>& runs);
/// The newest first.
[[nodiscard]] std::vector<StoredRun> load_runs(const SQLite::Database& database, std::int64_t machine);

/// Plans are pinned under the machine's name: they outlive its next calibration. Replaces what is pinned for the
/// pipeline.
void insert_pin(SQLite::Database& database, const std::string& machine, const PinnedPlan& pin);
/// Whether there was one.
bool delete_pin(SQLite::Database& database, const std::string& machine, const std::string& pipeline);
[[nodiscard]] std::vector<PinnedPlan> load_pins(const SQLite::Database& database, const std::string& machine);

}  // namespace tilewright
