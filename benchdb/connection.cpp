#include "connection.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <array>

#include "file_header.hpp"
#include "migration.hpp"
#include "schema.hpp"
#include "tilewright/core/error.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

/// How long another process may hold the file before we give up.
constexpr int busy_timeout_ms = 20'000;

std::string meaning_of(const SQLite::Exception& error) {
  switch (error.getErrorCode()) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return "is damaged: move it away, and calibrate again or put back a copy";
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return fmt::format("was held by another process for {} s: wait until that one is done", busy_timeout_ms / 1000);
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return "cannot be written: check its permissions and those of its folder, or name another file";
    case SQLITE_CANTOPEN:
      return "cannot be opened: check its permissions and those of its folder, or name another file";
    case SQLITE_FULL:
      return "does not fit: the disk is full";
    case SQLITE_IOERR:
      return "cannot be read or written: check the disk or the network file system";
    default:
      return "does not work as it should: run tilewright db check";
  }
}

void make_folder(const fs::path& path) {
  const fs::path folder = fs::absolute(path).parent_path();
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    throw RuntimeError(fmt::format("database '{}': its folder cannot be made ({}): name another file", path.string(),
                                   error.message()));
  }
}

/// Two processes may get here at a time: the second finds the tables of the first.
void make_schema(SQLite::Database& database) {
  database.exec("PRAGMA journal_mode = DELETE");  // no write-ahead log: the file may lie on NFS
  SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
  if (database.execAndGet("SELECT count(*) FROM sqlite_schema").getInt() == 0) {
    database.exec(schema_sql());
    database.exec(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", database_application_id,
                              database_schema_version));
  }
  transaction.commit();
}

/// SQLite falls back to reading where the file may not be written.
void check_writable(SQLite::Database& database, const fs::path& path) {
  if (sqlite3_db_readonly(database.getHandle(), "main") != 1) return;
  throw RuntimeError(
      fmt::format("database '{}': cannot be written: check its permissions, or name another file", path.string()));
}

void check_undamaged(SQLite::Database& database, const fs::path& path) {
  const std::string finding = database.execAndGet("PRAGMA quick_check(1)").getString();
  if (finding != "ok") {
    throw RuntimeError(
        fmt::format("database '{}': is damaged ({}): move it away, and calibrate again or put back a copy",
                    path.string(), finding));
  }
}

void check_schema(const SQLite::Database& database, const fs::path& path) {
  for (const std::string& table : schema_tables()) {
    if (!database.tableExists(table)) {
      throw RuntimeError(fmt::format(
          "database '{}': is damaged (table {} is missing): move it away, and calibrate again", path.string(), table));
    }
  }
}

}  // namespace

void rethrow(const fs::path& path, const SQLite::Exception& error) {
  throw RuntimeError(fmt::format("database '{}': {} ({})", path.string(), meaning_of(error), error.what()));
}

std::unique_ptr<SQLite::Database> open_database(const fs::path& path, OpenMode mode) {
  const FileState state = inspect_file(path);
  if (state == FileState::missing) {
    if (mode == OpenMode::existing) {
      throw RuntimeError(fmt::format("database '{}': does not exist: run tilewright calibrate, or tilewright db import",
                                     path.string()));
    }
    make_folder(path);
  }
  if (state == FileState::empty && mode == OpenMode::existing) {
    throw RuntimeError(fmt::format("database '{}': is empty: run tilewright calibrate to fill it, or name another file",
                                   path.string()));
  }
  return guarded(path, [&] {
    const int create = mode == OpenMode::create ? SQLite::OPEN_CREATE : 0;
    auto database = std::make_unique<SQLite::Database>(path, SQLite::OPEN_READWRITE | create, busy_timeout_ms);
    if (state != FileState::ours) {
      make_schema(*database);
    } else {
      if (mode == OpenMode::create) check_writable(*database, path);
      check_undamaged(*database, path);
      migrate(*database, path);
    }
    database->exec("PRAGMA foreign_keys = ON");
    check_schema(*database, path);
    return database;
  });
}

}  // namespace tilewright
