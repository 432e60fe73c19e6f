// The four files: a table each, whose rows name the case that they belong to.
#include <fmt/format.h>

#include <map>
#include <set>
#include <stdexcept>

#include "csv_table.hpp"
#include "folder_lock.hpp"
#include "report.hpp"

namespace tilewright::regret {
namespace {

using Fields = std::vector<std::string>;

constexpr const char* cases_file = "cases.csv";
constexpr const char* plans_file = "plans.csv";
constexpr const char* transfers_file = "transfers.csv";
constexpr const char* habits_file = "habits.csv";

const Fields case_columns = {"id",
                             "pipeline",
                             "width",
                             "height",
                             "max_ranks",
                             "network",
                             "share_percent",
                             "model",
                             "regret_free",
                             "regret_fixed",
                             "fixed",
                             "predicted_s",
                             "predicted_now_s",
                             "measured_s",
                             "kendall_tau",
                             "baseline_best_s",
                             "baseline_best_ranks",
                             "baseline_transfers_s",
                             "plan_transfers_s",
                             "note"};
const Fields plan_columns = {"case",        "grid",       "ranks",   "tree",          "distribution",
                             "predicted_s", "measured_s", "samples", "dropped_early", "chosen"};
const Fields transfer_columns = {"case", "operation", "grid", "algorithm", "predicted_s", "measured_s", "bytes"};
const Fields habit_columns = {"case", "habit", "measured_s", "regret"};

/// The fields of a row, one after another, with the name of each for messages.
class FieldReader {
 public:
  FieldReader(const std::string& source, const Fields& columns, const Fields& fields)
      : source_(source), columns_(columns), fields_(fields) {}
  const std::string& text() { return fields_[next_++]; }
  template <class Integer>
  void read(Integer& value) {
    value = static_cast<Integer>(csv_integer(fields_[next_], what()));
    ++next_;
  }
  void read(double& value) {
    value = csv_double(fields_[next_], what());
    ++next_;
  }
  void read(bool& value) {
    value = csv_bool(fields_[next_], what());
    ++next_;
  }
  void read(std::string& value) { value = text(); }

 private:
  [[nodiscard]] std::string what() const { return fmt::format("{}, column {}", source_, columns_[next_]); }

  const std::string& source_;
  const Fields& columns_;
  const Fields& fields_;
  std::size_t next_ = 0;
};

/// "2:0.01;4:0.02": ranks and regret.
std::string fixed_text(const std::vector<FixedRegret>& fixed) {
  std::string text;
  for (const FixedRegret& entry : fixed) {
    text += fmt::format("{}{}:{}", text.empty() ? "" : ";", entry.ranks, csv_text(entry.regret));
  }
  return text;
}

std::vector<FixedRegret> fixed_of(std::string_view text) {
  std::vector<FixedRegret> fixed;
  while (!text.empty()) {
    const std::string_view entry = text.substr(0, text.find(';'));
    const std::size_t colon = entry.find(':');
    if (colon == std::string_view::npos) {
      throw std::runtime_error(fmt::format("{}, column fixed: \"{}\" is not RANKS:REGRET", cases_file, entry));
    }
    const auto ranks = static_cast<int>(csv_integer(entry.substr(0, colon), "fixed ranks"));
    fixed.push_back({ranks, csv_double(entry.substr(colon + 1), "fixed regret")});
    text.remove_prefix(std::min(entry.size() + 1, text.size()));
  }
  return fixed;
}

Fields fields_of(const CaseResult& result) {
  return {result.id,
          result.pipeline,
          std::to_string(result.width),
          std::to_string(result.height),
          std::to_string(result.max_ranks),
          result.network,
          result.shares,
          result.model,
          csv_text(result.regret_free),
          csv_text(result.regret_fixed),
          fixed_text(result.fixed),
          csv_text(result.predicted_s),
          csv_text(result.predicted_now_s),
          csv_text(result.measured_s),
          csv_text(result.kendall_tau),
          csv_text(result.baseline_best_s),
          std::to_string(result.baseline_best_ranks),
          csv_text(result.baseline_transfers_s),
          csv_text(result.plan_transfers_s),
          result.note};
}

Fields fields_of(const std::string& id, const PlanRow& plan) {
  return {id,
          plan.grid,
          std::to_string(plan.ranks),
          plan.tree,
          plan.distribution,
          csv_text(plan.predicted_s),
          csv_text(plan.measured_s),
          std::to_string(plan.samples),
          csv_text(plan.dropped_early),
          csv_text(plan.chosen)};
}

Fields fields_of(const std::string& id, const TransferRow& transfer) {
  return {id,
          transfer.operation,
          transfer.grid,
          transfer.algorithm,
          csv_text(transfer.predicted_s),
          csv_text(transfer.measured_s),
          csv_text(transfer.bytes)};
}

Fields fields_of(const std::string& id, const HabitRow& habit) {
  return {id, habit.habit, csv_text(habit.measured_s), csv_text(habit.regret)};
}

void read_fields(FieldReader& reader, CaseResult& result) {
  reader.read(result.id);
  reader.read(result.pipeline);
  reader.read(result.width);
  reader.read(result.height);
  reader.read(result.max_ranks);
  reader.read(result.network);
  reader.read(result.shares);
  reader.read(result.model);
  reader.read(result.regret_free);
  reader.read(result.regret_fixed);
  result.fixed = fixed_of(reader.text());
  reader.read(result.predicted_s);
  reader.read(result.predicted_now_s);
  reader.read(result.measured_s);
  reader.read(result.kendall_tau);
  reader.read(result.baseline_best_s);
  reader.read(result.baseline_best_ranks);
  reader.read(result.baseline_transfers_s);
  reader.read(result.plan_transfers_s);
  reader.read(result.note);
}

void read_fields(FieldReader& reader, PlanRow& plan) {
  reader.read(plan.grid);
  reader.read(plan.ranks);
  reader.read(plan.tree);
  reader.read(plan.distribution);
  reader.read(plan.predicted_s);
  reader.read(plan.measured_s);
  reader.read(plan.samples);
  reader.read(plan.dropped_early);
  reader.read(plan.chosen);
}

void read_fields(FieldReader& reader, TransferRow& transfer) {
  reader.read(transfer.operation);
  reader.read(transfer.grid);
  reader.read(transfer.algorithm);
  reader.read(transfer.predicted_s);
  reader.read(transfer.measured_s);
  reader.read(transfer.bytes);
}

void read_fields(FieldReader& reader, HabitRow& habit) {
  reader.read(habit.habit);
  reader.read(habit.measured_s);
  reader.read(habit.regret);
}

CsvTable read_table(const std::filesystem::path& path, const Fields& columns) {
  CsvTable table = read_csv_file(path);
  if (table.header != columns) {
    throw std::runtime_error(fmt::format("{}: its columns are not those of this report", path.string()));
  }
  return table;
}

using CasesById = std::map<std::string, CaseResult*>;

template <class Row>
void read_rows(const std::filesystem::path& path, const Fields& columns, const CasesById& cases,
               std::vector<Row> CaseResult::*rows) {
  const std::string source = path.string();
  for (const Fields& fields : read_table(path, columns).rows) {
    FieldReader reader(source, columns, fields);
    const std::string& id = reader.text();
    const auto found = cases.find(id);
    if (found == cases.end()) throw std::runtime_error(fmt::format("{}: there is no case {}", source, id));
    Row row;
    read_fields(reader, row);
    (found->second->*rows).push_back(std::move(row));
  }
}

std::vector<CaseResult> read_unlocked(const std::filesystem::path& folder) {
  std::vector<CaseResult> cases;
  const std::string source = (folder / cases_file).string();
  for (const Fields& fields : read_table(source, case_columns).rows) {
    FieldReader reader(source, case_columns, fields);
    read_fields(reader, cases.emplace_back());
  }
  CasesById by_id;
  for (CaseResult& result : cases) {
    if (!by_id.emplace(result.id, &result).second) {
      throw std::runtime_error(fmt::format("{}: case {} is there twice", source, result.id));
    }
  }
  read_rows(folder / plans_file, plan_columns, by_id, &CaseResult::plans);
  read_rows(folder / transfers_file, transfer_columns, by_id, &CaseResult::transfers);
  read_rows(folder / habits_file, habit_columns, by_id, &CaseResult::habits);
  return cases;
}

template <class Row>
CsvTable table_of(const std::vector<CaseResult>& cases, const Fields& columns, std::vector<Row> CaseResult::*rows) {
  CsvTable table{columns, {}};
  for (const CaseResult& result : cases) {
    for (const Row& row : result.*rows) table.rows.push_back(fields_of(result.id, row));
  }
  return table;
}

void write_unlocked(const std::filesystem::path& folder, const std::vector<CaseResult>& cases) {
  CsvTable table{case_columns, {}};
  for (const CaseResult& result : cases) table.rows.push_back(fields_of(result));
  write_csv_files({{folder / plans_file, table_of(cases, plan_columns, &CaseResult::plans)},
                   {folder / transfers_file, table_of(cases, transfer_columns, &CaseResult::transfers)},
                   {folder / habits_file, table_of(cases, habit_columns, &CaseResult::habits)},
                   {folder / cases_file, table}});
}

}  // namespace

void write_csv(const std::filesystem::path& folder, const std::vector<CaseResult>& cases) {
  std::set<std::string> ids;
  for (const CaseResult& result : cases) {
    if (!ids.insert(result.id).second) throw std::invalid_argument(fmt::format("two cases are called {}", result.id));
  }
  std::filesystem::create_directories(folder);
  const FolderLock lock(folder);
  std::vector<CaseResult> all;
  if (std::filesystem::exists(folder / cases_file)) all = read_unlocked(folder);
  std::erase_if(all, [&](const CaseResult& result) { return ids.contains(result.id); });
  all.insert(all.end(), cases.begin(), cases.end());
  write_unlocked(folder, all);
}

std::vector<CaseResult> read_csv(const std::filesystem::path& folder) {
  if (!std::filesystem::exists(folder / cases_file)) {
    throw std::runtime_error(fmt::format("{} holds no {}", folder.string(), cases_file));
  }
  const FolderLock lock(folder);
  return read_unlocked(folder);
}

}  // namespace tilewright::regret
