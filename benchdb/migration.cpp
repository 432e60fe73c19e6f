#include "migration.hpp"

#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

#include "file_header.hpp"
#include "schema.hpp"
#include "tilewright/core/error.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

std::uint32_t version_of(SQLite::Database& database) {
  return database.execAndGet("PRAGMA user_version").getUInt();
}

/// Operators were measured under one condition only, which then has to do for all.
void move_operator_cells(SQLite::Database& database) {
  database.exec("ALTER TABLE operator_cells RENAME TO old_operator_cells");
  database.exec(schema_sql());
  database.exec(R"sql(
INSERT INTO operator_cells (machine, key, type, parameter, tile_pixels, ranks, seconds, spread_s, samples)
  SELECT machine, key, type, parameter, tile_pixels, 1, seconds, spread_s, samples FROM old_operator_cells;
DROP TABLE old_operator_cells)sql");
}

/// A whole copy, or none: it gets its name when it is complete. One that is there already is as good.
void keep_copy(SQLite::Database& database, const fs::path& path, std::uint32_t version) {
  const fs::path copy = fmt::format("{}.schema{}", path.string(), version);
  if (fs::exists(copy)) return;
  const fs::path partial = fmt::format("{}.{}", copy.string(), ::getpid());
  SQLite::Statement statement(database, "VACUUM INTO ?");
  statement.bind(1, partial.string());
  statement.exec();
  std::error_code error;
  fs::rename(partial, copy, error);
  if (error) throw RuntimeError(fmt::format("'{}': cannot be made ({})", copy.string(), error.message()));
}

}  // namespace

void migrate(SQLite::Database& database, const fs::path& path) {
  const std::uint32_t found = version_of(database);
  if (found >= database_schema_version) return;
  if (sqlite3_db_readonly(database.getHandle(), "main") == 1) {
    throw RuntimeError(
        fmt::format("database '{}': was written by an older Tilewright (schema {}), and cannot be "
                    "written to bring it up to date: check its permissions, or copy it",
                    path.string(), found));
  }
  keep_copy(database, path, found);
  SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
  if (version_of(database) == 1) move_operator_cells(database);  // another process may have done it meanwhile
  database.exec(fmt::format("PRAGMA user_version = {}", database_schema_version));
  transaction.commit();
}

}  // namespace tilewright
