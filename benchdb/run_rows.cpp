#include "run_rows.hpp"

#include "insert_row.hpp"

namespace tilewright {

void insert_runs(SQLite::Database& database, std::int64_t machine, const std::vector<StoredRun>& runs) {
  SQLite::Statement statement(database,
                              "INSERT INTO runs (machine, pipeline, program, date, ranks, grid, predicted_s, "
                              "measured_s, plan) VALUES (?,?,?,?,?,?,?,?,?)");
  for (const StoredRun& run : runs) {
    insert_row(statement, machine, run.pipeline, run.program, run.date, run.ranks, run.grid, run.predicted_s,
               run.measured_s, run.plan);
  }
  SQLite::Statement forget(database,
                           "DELETE FROM runs WHERE machine = ?1 AND id NOT IN "
                           "(SELECT id FROM runs WHERE machine = ?1 ORDER BY id DESC LIMIT ?2)");
  forget.bind(1, machine);
  forget.bind(2, most_stored_runs);
  forget.exec();
}

std::vector<StoredRun> load_runs(const SQLite::Database& database, std::int64_t machine) {
  SQLite::Statement row(database,
                        "SELECT id, pipeline, program, date, ranks, grid, predicted_s, measured_s, plan FROM runs "
                        "WHERE machine = ? ORDER BY id DESC");
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
