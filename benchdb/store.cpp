#include "tilewright/benchdb/store.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "calibration_check.hpp"
#include "connection.hpp"
#include "insert_row.hpp"
#include "machine_rows.hpp"
#include "run_file.hpp"
#include "run_rows.hpp"
#include "tilewright/core/error.hpp"

namespace tilewright {
namespace {

/// A calibration that is not finished has the machine's name and this; no machine that a user names ends so.
constexpr std::string_view unfinished_suffix = "\x1funfinished";

std::string unfinished_name(const std::string& machine) {
  return machine + std::string(unfinished_suffix);
}

/// Who calibrates a machine is kept as one that has the machine's name and this, and nothing measured.
constexpr std::string_view claim_suffix = "\x1fowner";
constexpr const char* process_setting = "process";
constexpr const char* heard_setting = "heard";
constexpr const char* started_setting = "started";

std::string claim_name(const std::string& machine) {
  return machine + std::string(claim_suffix);
}

/// Empty if there is none.
std::string text_in(const std::map<std::string, std::string>& settings, const char* name) {
  const auto found = settings.find(name);
  return found == settings.end() ? std::string() : found->second;
}

/// 0 if it is none.
std::int64_t number_in(const std::map<std::string, std::string>& settings, const char* name) {
  const std::string text = text_in(settings, name);
  std::int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::optional<Calibrator> claimant_of(const SQLite::Database& database, const std::string& machine) {
  const auto id = find_machine(database, claim_name(machine));
  if (!id) return std::nullopt;
  const Fingerprint kept = load_fingerprint(database, *id);
  return Calibrator{kept.host, number_in(kept.settings, process_setting), number_in(kept.settings, heard_setting),
                    text_in(kept.settings, started_setting)};
}

/// Those that are finished.
std::vector<std::int64_t> all_machines(const SQLite::Database& database) {
  SQLite::Statement row(database, "SELECT id FROM machines WHERE instr(name, char(31)) = 0 ORDER BY name");
  std::vector<std::int64_t> ids;
  while (row.executeStep()) ids.push_back(row.getColumn(0).getInt64());
  return ids;
}

std::size_t count(const SQLite::Database& database, const std::string& table, std::int64_t machine) {
  SQLite::Statement row(database, fmt::format("SELECT count(*) FROM {} WHERE machine = ?", table));
  row.bind(1, machine);
  row.executeStep();
  return static_cast<std::size_t>(row.getColumn(0).getInt64());
}

std::int64_t require_machine(const SQLite::Database& database, const std::string& name) {
  if (const auto id = find_machine(database, name)) return *id;
  std::vector<std::string> known;
  for (const std::int64_t id : all_machines(database)) known.push_back(machine_name(database, id));
  throw ParameterError(known.empty()
                           ? fmt::format("machine '{}' is unknown: the database '{}' holds none; run tilewright "
                                         "calibrate, or tilewright db import",
                                         name, database.getFilename())
                           : fmt::format("machine '{}' is unknown; the database '{}' holds: {}", name,
                                         database.getFilename(), fmt::join(known, " ")));
}

void delete_machine(SQLite::Database& database, const std::string& name) {
  SQLite::Statement statement(database, "DELETE FROM machines WHERE name = ?");
  statement.bind(1, name);
  statement.exec();
}

void replace_machine(SQLite::Database& database, const std::string& name, const Calibration& calibration) {
  delete_machine(database, name);
  insert_machine(database, name, calibration);
}

void write_claim(SQLite::Database& database, const std::string& machine, const Calibrator& who) {
  Fingerprint kept;
  kept.host = who.host;
  kept.settings = {{process_setting, std::to_string(who.process)},
                   {heard_setting, std::to_string(who.heard_s)},
                   {started_setting, who.started}};
  const std::string name = claim_name(machine);
  replace_machine(database, name, {MachineProfile(name, std::move(kept), {}, {}), {}});
}

void require_claim(const SQLite::Database& database, const std::string& machine, const Calibrator& who) {
  const auto claimant = claimant_of(database, machine);
  if (claimant && claimant->is_same_process(who)) return;
  throw RuntimeError(
      fmt::format("the calibration of machine '{}' by process {} on {} was taken for dead and {}: calibrate it again",
                  machine, who.process, who.host,
                  claimant ? fmt::format("process {} on {} has taken its place", claimant->process, claimant->host)
                           : std::string("its place was given away, or the machine was removed")));
}

/// What `statement` returns in its first column, a text each row.
std::vector<std::string> lines_of(const SQLite::Database& database, const char* statement) {
  SQLite::Statement row(database, statement);
  std::vector<std::string> lines;
  while (row.executeStep()) lines.push_back(row.getColumn(0).getString());
  return lines;
}

}  // namespace

struct Store::Implementation {
  std::filesystem::path path;
  std::unique_ptr<SQLite::Database> database;

  /// Runs `function` on one consistent state of the database.
  template <class Function>
  auto reading(Function&& function) const {
    return guarded(path, [&] {
      const SQLite::Transaction snapshot(*database);  // rolled back: there is nothing to keep
      return function(*database);
    });
  }

  /// Runs `function`; all of it is kept, or nothing if it throws.
  template <class Function>
  void writing(Function&& function) {
    guarded(path, [&] {
      SQLite::Transaction transaction(*database, SQLite::TransactionBehavior::IMMEDIATE);
      function(*database);
      transaction.commit();
    });
  }

  /// What `load` makes of a machine's rows. Rows that make nothing are damage of the file, no mistake of the caller.
  template <class Load>
  auto rows(const SQLite::Database& from, std::int64_t id, Load&& load) const {
    try {
      return load(from, id);
    } catch (const ParameterError& error) {
      throw RuntimeError(fmt::format("database '{}': machine '{}' is damaged ({}): remove it and calibrate again",
                                     path.string(), machine_name(from, id), error.what()));
    }
  }

  std::vector<std::string> problems_of_machine(const SQLite::Database& from, std::int64_t id) const {
    const std::string name = machine_name(from, id);
    std::vector<std::string> problems;
    try {
      for (const std::string& problem : problems_of(rows(from, id, load_calibration))) {
        problems.push_back(fmt::format("machine '{}': {}", name, problem));
      }
    } catch (const Error& error) {
      problems.emplace_back(error.what());
    }
    return problems;
  }
};

Store::Store(const std::filesystem::path& path, OpenMode mode)
    : implementation_(std::make_unique<Implementation>(Implementation{path, open_database(path, mode)})) {}
Store::~Store() = default;
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;

std::vector<MachineSummary> Store::machines() const {
  return implementation_->reading([&](const SQLite::Database& database) {
    std::vector<MachineSummary> summaries;
    for (const std::int64_t id : all_machines(database)) {
      summaries.push_back({machine_name(database, id), implementation_->rows(database, id, load_fingerprint),
                           count(database, "path_cells", id), count(database, "operator_cells", id),
                           count(database, "samples", id)});
    }
    return summaries;
  });
}

MachineProfile Store::profile(const std::string& name) const {
  return implementation_->reading([&](const SQLite::Database& database) {
    return implementation_->rows(database, require_machine(database, name), load_profile);
  });
}

std::optional<MachineProfile> Store::profile_of_host(const std::string& host) const {
  return implementation_->reading([&](const SQLite::Database& database) -> std::optional<MachineProfile> {
    SQLite::Statement row(database,
                          "SELECT id FROM machines WHERE host = ? AND host <> '' AND instr(name, char(31)) = 0 "
                          "ORDER BY EXISTS (SELECT 1 FROM path_cells WHERE machine = machines.id) "
                          "AND EXISTS (SELECT 1 FROM operator_cells WHERE machine = machines.id) DESC, "
                          "date DESC, id DESC LIMIT 1");
    row.bind(1, host);
    if (!row.executeStep()) return std::nullopt;
    return implementation_->rows(database, row.getColumn(0).getInt64(), load_profile);
  });
}

std::vector<RawSample> Store::samples(const std::string& name) const {
  return implementation_->reading([&](const SQLite::Database& database) {
    return implementation_->rows(database, require_machine(database, name), load_samples);
  });
}

void Store::keep_refresh(const std::string& name, const Refresh& refresh) {
  implementation_->writing([&](SQLite::Database& database) {
    const std::int64_t id = require_machine(database, name);
    SQLite::Statement setting(database, "INSERT OR REPLACE INTO settings VALUES (?,?,?)");
    for (const auto& [key, value] : settings_of(refresh)) insert_row(setting, id, key, value);
  });
}

void Store::save(const Calibration& calibration) {
  require_storable(calibration);
  implementation_->writing(
      [&](SQLite::Database& database) { replace_machine(database, calibration.profile.name(), calibration); });
}

std::optional<Calibrator> Store::claim(const std::string& machine, const Calibrator& who,
                                       const std::function<bool(const Calibrator&)>& is_at_work) {
  std::optional<Calibrator> other;
  implementation_->writing([&](SQLite::Database& database) {
    other = claimant_of(database, machine);
    if (other && !other->is_same_process(who) && is_at_work(*other)) return;
    other.reset();
    write_claim(database, machine, who);
  });
  return other;
}

void Store::release(const std::string& machine, const Calibrator& who) {
  implementation_->writing([&](SQLite::Database& database) {
    const auto claimant = claimant_of(database, machine);
    if (claimant && claimant->is_same_process(who)) delete_machine(database, claim_name(machine));
  });
}

void Store::save_unfinished(const Calibration& calibration, const Calibrator& who) {
  require_storable(calibration);
  implementation_->writing([&](SQLite::Database& database) {
    const std::string& machine = calibration.profile.name();
    require_claim(database, machine, who);
    write_claim(database, machine, who);
    replace_machine(database, unfinished_name(machine), calibration);
  });
}

void Store::finish(const Calibration& calibration, const Calibrator& who) {
  require_storable(calibration);
  implementation_->writing([&](SQLite::Database& database) {
    const std::string& machine = calibration.profile.name();
    require_claim(database, machine, who);
    delete_machine(database, claim_name(machine));
    delete_machine(database, unfinished_name(machine));
    replace_machine(database, machine, calibration);
  });
}

std::optional<Calibration> Store::unfinished(const std::string& name) const {
  return implementation_->reading([&](const SQLite::Database& database) -> std::optional<Calibration> {
    const auto id = find_machine(database, unfinished_name(name));
    if (!id) return std::nullopt;
    const Calibration found = implementation_->rows(database, *id, load_calibration);
    const MachineProfile& profile = found.profile;
    return Calibration{MachineProfile(name, profile.fingerprint(), profile.paths(), profile.operators()),
                       found.samples};
  });
}

void Store::remove(const std::string& name) {
  implementation_->writing([&](SQLite::Database& database) {
    const std::string unfinished = unfinished_name(name), claim = claim_name(name);
    const bool has_begun = find_machine(database, unfinished) || find_machine(database, claim);
    if (!has_begun) (void)require_machine(database, name);
    for (const std::string& row : {name, unfinished, claim}) delete_machine(database, row);
  });
}

void Store::record_output(const FinishedOutput& output) {
  implementation_->writing([&](SQLite::Database& database) {
    SQLite::Statement statement(database, "INSERT OR REPLACE INTO outputs VALUES (?,?,?,?)");
    insert_row(statement, output.path, output.pipeline, output.size, output.modified_ns);
  });
}

std::optional<FinishedOutput> Store::finished_output(const std::string& path) const {
  return implementation_->reading([&](const SQLite::Database& database) -> std::optional<FinishedOutput> {
    SQLite::Statement row(database, "SELECT path, pipeline, size, modified_ns FROM outputs WHERE path = ?");
    row.bind(1, path);
    if (!row.executeStep()) return std::nullopt;
    return FinishedOutput{row.getColumn(0).getString(), row.getColumn(1).getString(), row.getColumn(2).getInt64(),
                          row.getColumn(3).getInt64()};
  });
}

void Store::record_runs(const std::string& machine, const std::vector<StoredRun>& runs) {
  attach_runs(*implementation_->database, implementation_->path, RunFile::made);
  implementation_->writing(
      [&](SQLite::Database& database) { insert_runs(database, require_machine(database, machine), runs); });
}

std::vector<StoredRun> Store::runs(const std::string& machine) const {
  const bool has_runs = attach_runs(*implementation_->database, implementation_->path, RunFile::existing);
  return implementation_->reading([&](const SQLite::Database& database) {
    const std::int64_t id = require_machine(database, machine);
    return has_runs ? load_runs(database, id) : std::vector<StoredRun>();
  });
}

std::vector<StoredRun> Store::runs_since_refresh(const std::string& machine) const {
  std::vector<StoredRun> all = runs(machine);
  const std::string since = implementation_->reading([&](const SQLite::Database& database) {
    return refresh_of(load_fingerprint(database, require_machine(database, machine))).date;
  });
  std::erase_if(all, [&](const StoredRun& run) { return run.date < since; });
  return all;
}

void Store::pin(const std::string& machine, std::int64_t id) {
  const std::vector<StoredRun> all = runs(machine);
  implementation_->writing([&](SQLite::Database& database) {
    const auto run = std::find_if(all.begin(), all.end(), [&](const StoredRun& r) { return r.id == id; });
    if (run == all.end()) {
      throw ParameterError(fmt::format("machine '{}' has no run {}: tilewright db runs lists them", machine, id));
    }
    insert_pin(database, machine, {run->pipeline, run->program, run->date, run->plan});
  });
}

void Store::unpin(const std::string& machine, const std::string& pipeline) {
  implementation_->writing([&](SQLite::Database& database) {
    if (delete_pin(database, machine, pipeline)) return;
    throw ParameterError(
        fmt::format("on machine '{}' no plan is pinned for the pipeline '{}': tilewright db runs "
                    "lists those that are",
                    machine, pipeline));
  });
}

std::vector<PinnedPlan> Store::pins(const std::string& machine) const {
  return implementation_->reading([&](const SQLite::Database& database) { return load_pins(database, machine); });
}

std::vector<std::string> Store::check() const {
  attach_runs(*implementation_->database, implementation_->path, RunFile::existing);
  return implementation_->reading([&](const SQLite::Database& database) {
    std::vector<std::string> problems;
    for (const std::string& finding : lines_of(database, "PRAGMA integrity_check")) {
      if (finding != "ok") problems.push_back("file: " + finding);
    }
    for (const std::string& table : lines_of(database, "PRAGMA foreign_key_check")) {
      problems.push_back(fmt::format("table {}: a row belongs to no machine", table));
    }
    for (const std::int64_t id : all_machines(database)) {
      for (std::string& problem : implementation_->problems_of_machine(database, id)) {
        problems.push_back(std::move(problem));
      }
    }
    return problems;
  });
}

}  // namespace tilewright
