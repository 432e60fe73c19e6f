#include "run_rows.hpp"

#include <fmt/format.h>

#include "insert_row.hpp"

namespace tilewright {
namespace {

/// Columns of kept.runs but for its id, in this order.
constexpr const char* insertion =
    "INSERT INTO kept.runs (machine, name, calibrated, pipeline, program, date, ranks, grid, predicted_s, measured_s, "
    "plan) ";
/// Whether a run r is of a machine m (run_file.cpp).
constexpr const char* is_of_machine = "m.id = r.machine AND m.name = r.name AND m.date = r.calibrated";

}  // namespace

void insert_runs(SQLite::Database& database, std::int64_t machine, const std::vector<StoredRun>& runs) {
  SQLite::Statement statement(
      database,
      fmt::format("{} SELECT id, name, date, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9 FROM machines WHERE id = ?1", insertion));
  for (const StoredRun& run : runs) {
    insert_row(statement, machine, run.pipeline, run.program, run.date, run.ranks, run.grid, run.predicted_s,
               run.measured_s, run.plan);
  }
  database.exec(
      fmt::format("DELETE FROM kept.runs AS r WHERE NOT EXISTS (SELECT 1 FROM machines m WHERE {})", is_of_machine));
  SQLite::Statement forget(database,
                           "DELETE FROM kept.runs WHERE machine = ?1 AND id NOT IN "
                           "(SELECT id FROM kept.runs WHERE machine = ?1 ORDER BY id DESC LIMIT ?2)");
  forget.bind(1, machine);
  forget.bind(2, most_stored_runs);
  forget.exec();
}

void move_runs(SQLite::Database& database) {
  if (!database.tableExists("runs")) return;
  database.exec(fmt::format(
      "{} SELECT m.id, m.name, m.date, r.pipeline, r.program, r.date, r.ranks, r.grid, r.predicted_s, r.measured_s, "
      "r.plan FROM main.runs r JOIN machines m ON m.id = r.machine ORDER BY r.id; DROP TABLE main.runs",
      insertion));
}

std::vector<StoredRun> load_runs(const SQLite::Database& database, std::int64_t machine) {
  SQLite::Statement row(
      database, fmt::format("SELECT r.id, r.pipeline, r.program, r.date, r.ranks, r.grid, r.predicted_s, r.measured_s, "
                            "r.plan FROM kept.runs r JOIN machines m ON {} WHERE r.machine = ? ORDER BY r.id DESC",
                            is_of_machine));
  row.bind(1, machine);
  std::vector<StoredRun> runs;
  while (row.executeStep()) {
    const SQLite::Column predicted = row.getColumn(6);
    runs.push_back({row.getColumn(0).getInt64(), row.getColumn(1).getString(), row.getColumn(2).getString(),
                    row.getColumn(3).getString(), row.getColumn(4).getInt(), row.getColumn(5).getString(),
                    predicted.isNull() ? std::nullopt : std::optional(predicted.getDouble()),
                    row.getColumn(7).getDouble(), row.getColumn(8).getString()});
  }
  return runs;
}

void insert_pin(SQLite::Database& database, const std::string& machine, const PinnedPlan& pin) {
  SQLite::Statement statement(
      database, "INSERT OR REPLACE INTO pins (machine, pipeline, program, date, plan) VALUES (?,?,?,?,?)");
  insert_row(statement, machine, pin.pipeline, pin.program, pin.date, pin.plan);
}

bool delete_pin(SQLite::Database& database, const std::string& machine, const std::string& pipeline) {
  SQLite::Statement statement(database, "DELETE FROM pins WHERE machine = ? AND pipeline = ?");
  statement.bind(1, machine);
  statement.bind(2, pipeline);
  return statement.exec() > 0;
}

std::vector<PinnedPlan> load_pins(const SQLite::Database& database, const std::string& machine) {
  SQLite::Statement row(database, "SELECT pipeline, program, date, plan FROM pins WHERE machine = ? ORDER BY pipeline");
  row.bind(1, machine);
  std::vector<PinnedPlan> pins;
  while (row.executeStep()) {
    pins.push_back({row.getColumn(0).getString(), row.getColumn(1).getString(), row.getColumn(2).getString(),
                    row.getColumn(3).getString()});
  }
  return pins;
}

}  // namespace tilewright
