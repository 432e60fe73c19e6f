#include "migration.hpp"

#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

#include <array>
#include <string_view>

#include "file_header.hpp"
#include "run_file.hpp"
#include "run_rows.hpp"
#include "schema.hpp"
#include "tilewright/core/error.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

std::uint32_t version_of(SQLite::Database& database) {
  return database.execAndGet("PRAGMA user_version").getUInt();
}

/// What a schema has added to the one before it: a table's columns, and what they are in rows that were written
/// without. A table is made as it is now, so its first addition has the columns of later ones, too.
struct Addition {
  std::uint32_t to_version;
  std::string_view table;
  std::string_view old_columns;
  std::string_view new_columns;
  std::string_view values;
};

constexpr std::array<Addition, 5> additions{{
    // Operators were measured under one condition only, which then has to do for all.
    {2, "operator_cells", "machine, key, type, parameter, tile_pixels, seconds, spread_s, samples", "ranks, threads",
     "1, 1"},
    // All messages had the paper's blocks.
    {3, "path_cells", "machine, path, layout, bytes, seconds, spread_s, samples",
     "packing, block_bytes, stride_bytes, within_node", "'datatype', 0, 0, 0"},
    // Nobody looked whether samples were disturbed.
    {4, "samples", "machine, position, cell, launch, ordinal, seconds", "disturbed", "0"},
    // One thread worked on a tile.
    {6, "operator_cells", "machine, key, type, parameter, tile_pixels, ranks, seconds, spread_s, samples", "threads",
     "1"},
    // Messages within a node were not told apart.
    {7, "path_cells", "machine, path, layout, bytes, packing, block_bytes, stride_bytes, seconds, spread_s, samples",
     "within_node", "0"},
}};

void apply(SQLite::Database& database, const Addition& addition) {
  database.exec(fmt::format("ALTER TABLE {0} RENAME TO old_{0}", addition.table));
  database.exec(schema_sql());
  database.exec(fmt::format("INSERT INTO {0} ({1}, {2}) SELECT {1}, {3} FROM old_{0}; DROP TABLE old_{0}",
                            addition.table, addition.old_columns, addition.new_columns, addition.values));
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
  attach_runs(database, path, RunFile::made);
  SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
  const std::uint32_t now = version_of(database);  // another process may have done it meanwhile
  for (const Addition& addition : additions) {
    if (now < addition.to_version) apply(database, addition);
  }
  database.exec(schema_sql());  // tables that are new: since 5 pins
  move_runs(database);          // since 8 they have a file of their own
  database.exec(fmt::format("PRAGMA user_version = {}", database_schema_version));
  transaction.commit();
}

}  // namespace tilewright
