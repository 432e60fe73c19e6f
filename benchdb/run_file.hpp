// Runs lie in a file of their own beside the database ("bench.sqlite.runs"). What a run took is kept when its outputs
// have just been written, and a database that makes sure of it waits until the disk has all of these: half a second for
// some hundred megabytes, more than the run itself may take. Nobody is sorry for runs that a power cut takes.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <filesystem>

namespace tilewright {

enum class RunFile {
  existing,  ///< none is made
  made,      ///< if there is none
};

/// Attaches the runs of the database at `path`, with their table, as schema "kept". False if there are none. Not within
/// a transaction. Throws RuntimeError, naming the file, if it is damaged or cannot be opened.
bool attach_runs(SQLite::Database& database, const std::filesystem::path& path, RunFile file);

}  // namespace tilewright
