#include "migration.hpp"

#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

#include <array>

#include "file_header.hpp"
#include "tilewright/core/error.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

/// What turns schema i + 1 into schema i + 2.
constexpr std::array<const char*, database_schema_version - 1> steps{
    // Operators were measured under one condition only, which then has to do for all.
    R"sql(
ALTER TABLE operator_cells RENAME TO old_operator_cells;
CREATE TABLE operator_cells (
  machine INTEGER NOT NULL REFERENCES machines (id) ON DELETE CASCADE,
  key TEXT NOT NULL,
  type TEXT NOT NULL,
  parameter REAL NOT NULL,
  tile_pixels REAL NOT NULL,
  ranks INTEGER NOT NULL,
  seconds REAL NOT NULL,
  spread_s REAL NOT NULL,
  samples INTEGER NOT NULL,
  PRIMARY KEY (machine, key, type, parameter, tile_pixels, ranks)
) STRICT, WITHOUT ROWID;
INSERT INTO operator_cells
  SELECT machine, key, type, parameter, tile_pixels, 1, seconds, spread_s, samples FROM old_operator_cells;
DROP TABLE old_operator_cells;
)sql"};

std::uint32_t version_of(const SQLite::Database& database) {
  SQLite::Statement row(database, "PRAGMA user_version");
  row.executeStep();
  return row.getColumn(0).getUInt();
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
  // Another process may have done it meanwhile.
  for (std::uint32_t version = version_of(database); version < database_schema_version; ++version) {
    database.exec(steps[version - 1]);
  }
  database.exec(fmt::format("PRAGMA user_version = {}", database_schema_version));
  transaction.commit();
}

}  // namespace tilewright
