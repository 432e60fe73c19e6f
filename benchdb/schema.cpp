#include "schema.hpp"

namespace tilewright {

// Of tables WITHOUT ROWID the primary key's columns come first: SQLite's integrity check misreads others (3.40).
// STRICT, so that a value of another type than the column's is refused rather than kept. Machine ids only grow
// (AUTOINCREMENT): of two machines, the one saved later has the larger id.
const char* schema_sql() {
  return R"sql(
CREATE TABLE IF NOT EXISTS machines (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE,
  host TEXT NOT NULL,
  processor TEXT NOT NULL,
  cores_per_node INTEGER NOT NULL,
  memory_per_node INTEGER NOT NULL,
  nodes INTEGER NOT NULL,
  ranks INTEGER NOT NULL,
  mpi TEXT NOT NULL,
  effort TEXT NOT NULL,
  date TEXT NOT NULL,
  source TEXT NOT NULL,
  simd TEXT NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS settings (
  machine INTEGER NOT NULL REFERENCES machines (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (machine, name)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS path_cells (
  machine INTEGER NOT NULL REFERENCES machines (id) ON DELETE CASCADE,
  path TEXT NOT NULL,
  layout TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  packing TEXT NOT NULL,
  block_bytes INTEGER NOT NULL,
  stride_bytes INTEGER NOT NULL,
  within_node INTEGER NOT NULL,
  seconds REAL NOT NULL,
  spread_s REAL NOT NULL,
  samples INTEGER NOT NULL,
  PRIMARY KEY (machine, path, layout, bytes, packing, block_bytes, stride_bytes, within_node)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS operator_cells (
  machine INTEGER NOT NULL REFERENCES machines (id) ON DELETE CASCADE,
  key TEXT NOT NULL,
  type TEXT NOT NULL,
  parameter REAL NOT NULL,
  tile_pixels REAL NOT NULL,
  ranks INTEGER NOT NULL,
  threads INTEGER NOT NULL,
  seconds REAL NOT NULL,
  spread_s REAL NOT NULL,
  samples INTEGER NOT NULL,
  PRIMARY KEY (machine, key, type, parameter, tile_pixels, ranks, threads)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS samples (
  machine INTEGER NOT NULL REFERENCES machines (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  cell TEXT NOT NULL,
  launch INTEGER NOT NULL,
  ordinal INTEGER NOT NULL,
  seconds REAL NOT NULL,
  disturbed INTEGER NOT NULL,
  PRIMARY KEY (machine, position)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS outputs (
  path TEXT NOT NULL PRIMARY KEY,
  pipeline TEXT NOT NULL,
  size INTEGER NOT NULL,
  modified_ns INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS pins (
  machine TEXT NOT NULL,
  pipeline TEXT NOT NULL,
  program TEXT NOT NULL,
  date TEXT NOT NULL,
  plan TEXT NOT NULL,
  PRIMARY KEY (machine, pipeline)
) STRICT, WITHOUT ROWID;
)sql";
}

const std::vector<std::string>& schema_tables() {
  static const std::vector<std::string> names{"machines", "settings", "path_cells", "operator_cells",
                                              "samples",  "outputs",  "pins"};
  return names;
}

}  // namespace tilewright
