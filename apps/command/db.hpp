// The parts of tilewright db. Each does what its subcommand says and returns the exit status.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "tilewright/benchdb/run_drift.hpp"
#include "tilewright/benchdb/store.hpp"

namespace tilewright::command {

struct DbOptions {
  std::string database, machine, file, output, format, pipeline;
  std::int64_t run = 0;
  bool replace = false;
};

int db_list(const DbOptions& options);
int db_show(const DbOptions& options);
/// Of the file; and of a machine, on which this runs, whether its profile still holds: collective if there are ranks.
int db_check(const DbOptions& options);
/// All of a machine's, or the plan of one of them.
int db_runs(const DbOptions& options);

[[nodiscard]] Store open(const DbOptions& options);

/// RunDrift::factor, or null.
[[nodiscard]] nlohmann::json factor_of(const std::optional<RunDrift>& drift);
/// None either where what was run cannot be read: whoever asks for that itself, as `db runs` does, is told why.
[[nodiscard]] std::optional<RunDrift> known_drift(const Store& store, const std::string& machine);

}  // namespace tilewright::command
