#include "run_file.hpp"

#include <fmt/format.h>

#include <fstream>

#include "tilewright/core/error.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

bool is_attached(SQLite::Database& database) {
  return database.execAndGet("SELECT count(*) FROM pragma_database_list WHERE name = 'kept'").getInt() > 0;
}

/// Ids of machines begin again in a new database beside which an old file was left: runs are of the machine that has
/// the id, the name and the date of its calibration. STRICT as in schema.cpp.
constexpr const char* table_sql = R"sql(
CREATE TABLE IF NOT EXISTS kept.runs (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  machine INTEGER NOT NULL,
  name TEXT NOT NULL,
  calibrated TEXT NOT NULL,
  pipeline TEXT NOT NULL,
  program TEXT NOT NULL,
  date TEXT NOT NULL,
  ranks INTEGER NOT NULL,
  grid TEXT NOT NULL,
  predicted_s REAL,
  measured_s REAL NOT NULL,
  plan TEXT NOT NULL
) STRICT;
)sql";

void attach(SQLite::Database& database, const fs::path& file) {
  SQLite::Statement statement(database, "ATTACH DATABASE ? AS kept");
  statement.bind(1, file.string());
  statement.exec();
  database.exec("PRAGMA kept.synchronous = OFF");
  if (database.execAndGet("SELECT count(*) FROM kept.sqlite_schema WHERE name = 'runs'").getInt() > 0) return;
  SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);  // others wait for their turn
  database.exec(table_sql);
  transaction.commit();
}

}  // namespace

bool attach_runs(SQLite::Database& database, const fs::path& path, RunFile file) {
  if (is_attached(database)) return true;
  const fs::path runs = path.string() + ".runs";
  if (!fs::exists(runs)) {
    if (file == RunFile::existing) return false;
    const std::ofstream made(runs, std::ios::app);  // SQLite takes an empty file for an empty database
  }
  try {
    attach(database, runs);
  } catch (const SQLite::Exception& error) {
    if (is_attached(database)) database.exec("DETACH DATABASE kept");
    throw RuntimeError(fmt::format("'{}': cannot be used ({}): remove it, it holds no more than what runs took",
                                   runs.string(), error.what()));
  }
  return true;
}

}  // namespace tilewright
