// Brings a database that an older Tilewright wrote up to date.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <filesystem>

namespace tilewright {

/// Does nothing if the schema is the current one. Otherwise a copy is kept beside the file first, as
/// bench.sqlite.schema1 for schema 1, and then all of the migration happens, or nothing. Several processes may get here
/// at a time. Throws RuntimeError if the file or its folder cannot be written.
void migrate(SQLite::Database& database, const std::filesystem::path& path);

}  // namespace tilewright
