#include "machine_rows.hpp"

#include <fmt/format.h>

#include <utility>

#include "insert_row.hpp"
#include "tilewright/core/error.hpp"

namespace tilewright {
namespace {

/// SQLiteCpp copies a std::string only; a string_view is made one.
std::string text(std::string_view view) {
  return std::string(view);
}

int to_int(std::int64_t value, const char* what) {
  if (!std::in_range<int>(value)) throw ParameterError(fmt::format("{} is {}, which cannot be", what, value));
  return static_cast<int>(value);
}

std::int64_t insert_fingerprint(SQLite::Database& database, const std::string& name, const Fingerprint& f) {
  SQLite::Statement statement(database,
                              "INSERT INTO machines (name, host, processor, cores_per_node, memory_per_node, nodes, "
                              "ranks, mpi, effort, date, source, simd) VALUES (?,?,?,?,?,?,?,?,?,?,?,?)");
  insert_row(statement, name, f.host, f.processor, f.cores_per_node, f.memory_per_node, f.nodes, f.ranks, f.mpi,
             f.effort, f.date, f.source, f.simd);
  return database.getLastInsertRowid();
}

void insert_cells(SQLite::Database& database, std::int64_t id, const MachineProfile& profile) {
  SQLite::Statement path(database, "INSERT INTO path_cells VALUES (?,?,?,?,?,?,?,?,?,?,?)");
  for (const PathCell& cell : profile.paths()) {
    insert_row(path, id, text(to_string(cell.path)), text(to_string(cell.layout)), cell.bytes,
               text(to_string(cell.packing)), cell.block_bytes, cell.stride_bytes, cell.within_node ? 1 : 0,
               cell.time.seconds, cell.time.spread_s, cell.time.samples);
  }
  SQLite::Statement operation(database, "INSERT INTO operator_cells VALUES (?,?,?,?,?,?,?,?,?,?)");
  for (const OperatorCell& cell : profile.operators()) {
    insert_row(operation, id, cell.key, text(to_string(cell.type)), cell.parameter, cell.tile_pixels, cell.ranks,
               cell.threads, cell.time_per_unit.seconds, cell.time_per_unit.spread_s, cell.time_per_unit.samples);
  }
}

Estimate estimate_at(SQLite::Statement& row, int column) {
  return {row.getColumn(column).getDouble(), row.getColumn(column + 1).getDouble(),
          row.getColumn(column + 2).getInt64()};
}

std::vector<PathCell> load_paths(const SQLite::Database& database, std::int64_t id) {
  SQLite::Statement row(database,
                        "SELECT path, layout, bytes, seconds, spread_s, samples, packing, block_bytes, "
                        "stride_bytes, within_node FROM path_cells WHERE machine = ?");
  row.bind(1, id);
  std::vector<PathCell> cells;
  while (row.executeStep()) {
    cells.push_back({parse_path(row.getColumn(0).getString()), parse_layout(row.getColumn(1).getString()),
                     row.getColumn(2).getInt64(), estimate_at(row, 3), parse_packing(row.getColumn(6).getString()),
                     row.getColumn(7).getInt64(), row.getColumn(8).getInt64(), row.getColumn(9).getInt() != 0});
  }
  return cells;
}

std::vector<OperatorCell> load_operators(const SQLite::Database& database, std::int64_t id) {
  SQLite::Statement row(
      database,
      "SELECT key, type, parameter, tile_pixels, seconds, spread_s, samples, ranks, threads FROM operator_cells "
      "WHERE machine = ?");
  row.bind(1, id);
  std::vector<OperatorCell> cells;
  while (row.executeStep()) {
    cells.push_back({row.getColumn(0).getString(), parse_pixel_type(row.getColumn(1).getString()),
                     row.getColumn(2).getDouble(), row.getColumn(3).getDouble(), estimate_at(row, 4),
                     to_int(row.getColumn(7).getInt64(), "the number of ranks of an operator cell"),
                     to_int(row.getColumn(8).getInt64(), "the number of threads of an operator cell")});
  }
  return cells;
}

}  // namespace

std::optional<std::int64_t> find_machine(const SQLite::Database& database, const std::string& name) {
  SQLite::Statement row(database, "SELECT id FROM machines WHERE name = ?");
  row.bind(1, name);
  if (!row.executeStep()) return std::nullopt;
  return row.getColumn(0).getInt64();
}

std::string machine_name(const SQLite::Database& database, std::int64_t id) {
  SQLite::Statement row(database, "SELECT name FROM machines WHERE id = ?");
  row.bind(1, id);
  if (!row.executeStep()) throw InternalError(fmt::format("machine_name: no machine has the id {}", id));
  return row.getColumn(0).getString();
}

Fingerprint load_fingerprint(const SQLite::Database& database, std::int64_t id) {
  SQLite::Statement row(database,
                        "SELECT host, processor, cores_per_node, memory_per_node, nodes, ranks, mpi, effort, date, "
                        "source, simd FROM machines WHERE id = ?");
  row.bind(1, id);
  if (!row.executeStep()) throw InternalError(fmt::format("load_fingerprint: no machine has the id {}", id));
  Fingerprint f;
  f.host = row.getColumn(0).getString();
  f.processor = row.getColumn(1).getString();
  f.cores_per_node = to_int(row.getColumn(2).getInt64(), "the number of cores");
  f.memory_per_node = row.getColumn(3).getInt64();
  f.nodes = to_int(row.getColumn(4).getInt64(), "the number of nodes");
  f.ranks = to_int(row.getColumn(5).getInt64(), "the number of ranks");
  f.mpi = row.getColumn(6).getString();
  f.effort = row.getColumn(7).getString();
  f.date = row.getColumn(8).getString();
  f.source = row.getColumn(9).getString();
  f.simd = row.getColumn(10).getString();
  SQLite::Statement setting(database, "SELECT name, value FROM settings WHERE machine = ?");
  setting.bind(1, id);
  while (setting.executeStep()) f.settings[setting.getColumn(0).getString()] = setting.getColumn(1).getString();
  return f;
}

MachineProfile load_profile(const SQLite::Database& database, std::int64_t id) {
  return {machine_name(database, id), load_fingerprint(database, id), load_paths(database, id),
          load_operators(database, id)};
}

std::vector<RawSample> load_samples(const SQLite::Database& database, std::int64_t id) {
  SQLite::Statement row(database,
                        "SELECT cell, launch, ordinal, seconds, disturbed FROM samples WHERE machine = ? ORDER BY "
                        "position");
  row.bind(1, id);
  std::vector<RawSample> samples;
  while (row.executeStep()) {
    samples.push_back({row.getColumn(0).getString(), to_int(row.getColumn(1).getInt64(), "the launch of a sample"),
                       row.getColumn(2).getInt64(), row.getColumn(3).getDouble(), row.getColumn(4).getInt() != 0});
  }
  return samples;
}

Calibration load_calibration(const SQLite::Database& database, std::int64_t id) {
  return {load_profile(database, id), load_samples(database, id)};
}

void insert_machine(SQLite::Database& database, const std::string& name, const Calibration& calibration) {
  const MachineProfile& profile = calibration.profile;
  const std::int64_t id = insert_fingerprint(database, name, profile.fingerprint());
  SQLite::Statement setting(database, "INSERT INTO settings VALUES (?,?,?)");
  for (const auto& [key, value] : profile.fingerprint().settings) insert_row(setting, id, key, value);
  insert_cells(database, id, profile);
  SQLite::Statement sample(database, "INSERT INTO samples VALUES (?,?,?,?,?,?,?)");
  std::int64_t position = 0;
  for (const RawSample& raw : calibration.samples) {
    insert_row(sample, id, position++, raw.cell, raw.launch, raw.order, raw.seconds, raw.disturbed ? 1 : 0);
  }
}

}  // namespace tilewright
