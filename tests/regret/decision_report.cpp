#include "decision_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "csv_table.hpp"
#include "figures.hpp"
#include "folder_lock.hpp"
#include "tilewright/core/units.hpp"
#include "tilewright/explain/page.hpp"

namespace tilewright::regret {
namespace {

using Fields = std::vector<std::string>;

const Fields columns = {"ground",
                        "decision",
                        "case",
                        "given",
                        "forbidding",
                        "node_memory",
                        "with",
                        "with_predicted_s",
                        "with_measured_s",
                        "with_spread_s",
                        "with_node_bytes",
                        "without",
                        "without_predicted_s",
                        "without_measured_s",
                        "without_spread_s",
                        "without_node_bytes",
                        "samples"};

void add_fields(Fields& fields, const DecidedPlan& plan) {
  fields.insert(fields.end(), {plan.shape, csv_text(plan.predicted_s), csv_text(plan.measured_s),
                               csv_text(plan.spread_s), std::to_string(plan.node_bytes)});
}

Fields fields_of(const DecisionResult& result) {
  Fields fields{result.ground, result.decision,   result.case_name,
                result.given,  result.forbidding, std::to_string(result.node_memory)};
  add_fields(fields, result.with);
  add_fields(fields, result.without);
  fields.push_back(std::to_string(result.samples));
  return fields;
}

DecidedPlan plan_from(const Fields& fields, std::size_t first) {
  return {fields[first], csv_double(fields[first + 1], columns[first + 1]),
          csv_double(fields[first + 2], columns[first + 2]), csv_double(fields[first + 3], columns[first + 3]),
          csv_integer(fields[first + 4], columns[first + 4])};
}

DecisionResult result_from(const Fields& fields) {
  return {fields[0],
          fields[1],
          fields[2],
          fields[3],
          fields[4],
          csv_integer(fields[5], columns[5]),
          plan_from(fields, 6),
          plan_from(fields, 11),
          static_cast<int>(csv_integer(fields[16], columns[16]))};
}

std::filesystem::path file_in(const std::filesystem::path& folder) {
  return folder / "decisions.csv";
}

std::vector<DecisionResult> read_unlocked(const std::filesystem::path& folder) {
  std::vector<DecisionResult> results;
  if (!std::filesystem::exists(file_in(folder))) return results;
  const CsvTable table = read_csv_file(file_in(folder));
  if (table.header != columns) {
    throw std::runtime_error(fmt::format("{}: its columns are not those of this report", file_in(folder).string()));
  }
  for (const Fields& fields : table.rows) results.push_back(result_from(fields));
  return results;
}

bool is_same(const DecisionResult& a, const DecisionResult& b) {
  return a.ground == b.ground && a.decision == b.decision && a.case_name == b.case_name && a.given == b.given;
}

bool fits(const DecisionResult& result, const DecidedPlan& plan) {
  return result.node_memory <= 0 || plan.node_bytes <= result.node_memory;
}

std::string win_text(double win) {
  return std::isinf(win) ? "does not fit" : percent_text(win);
}

/// "met" where forbidding it has cost enough on some ground.
std::string verdict(const std::vector<DecisionResult>& results, const std::string& decision) {
  double most = -std::numeric_limits<double>::infinity();
  for (const DecisionResult& result : results) {
    const double win = win_of(result);
    if (result.decision == decision && !std::isnan(win)) most = std::max(most, win);
  }
  return most >= worth_deciding ? "met" : "MISSED";
}

/// Of the results, each decision once.
std::vector<std::string> names_of(const std::vector<DecisionResult>& results) {
  std::vector<std::string> names;
  for (const DecisionResult& result : results) {
    if (std::find(names.begin(), names.end(), result.decision) == names.end()) names.push_back(result.decision);
  }
  return names;
}

std::string plan_line(const char* what, const DecisionResult& result, const DecidedPlan& plan) {
  const std::string time =
      fits(result, plan) ? fmt::format("measured {} ± {}", seconds_text(plan.measured_s), seconds_text(plan.spread_s))
                         : fmt::format("not run: it takes {} of a node's {}", format_bytes(plan.node_bytes),
                                       format_bytes(result.node_memory));
  return fmt::format("      {:<8}{}: predicted {}, {}\n", what, plan.shape, seconds_text(plan.predicted_s), time);
}

std::string result_text(const DecisionResult& result) {
  const std::string given = result.given.empty() ? "" : fmt::format(" ({})", result.given);
  return fmt::format("    {}, {}{}: without it {} (predicted {})\n", result.ground, result.case_name, given,
                     win_text(win_of(result)), win_text(predicted_win_of(result))) +
         plan_line("with", result, result.with) + plan_line("without", result, result.without);
}

std::string cell(const std::string& text) {
  return fmt::format("<td>{}</td>", plots::escaped(text));
}

std::string number_cell(const std::string& text) {
  return fmt::format("<td class=\"n\">{}</td>", plots::escaped(text));
}

std::string row_of(const std::vector<DecisionResult>& results, const DecisionResult& result) {
  return "<tr>" + cell(result.decision) + cell(verdict(results, result.decision)) + cell(result.ground) +
         cell(result.case_name + " " + result.given) + cell(result.forbidding) + cell(result.with.shape) +
         cell(result.without.shape) + number_cell(seconds_text(result.with.measured_s)) +
         number_cell(seconds_text(result.without.measured_s)) + number_cell(win_text(win_of(result))) +
         number_cell(win_text(predicted_win_of(result))) + "</tr>\n";
}

}  // namespace

double win_of(const DecisionResult& result) {
  if (!fits(result, result.without)) return std::numeric_limits<double>::infinity();
  return result.without.measured_s / result.with.measured_s - 1;
}

double predicted_win_of(const DecisionResult& result) {
  if (!fits(result, result.without)) return std::numeric_limits<double>::infinity();
  return result.without.predicted_s / result.with.predicted_s - 1;
}

void write_decisions(const std::filesystem::path& folder, const std::vector<DecisionResult>& results) {
  std::filesystem::create_directories(folder);
  const FolderLock lock(folder);
  std::vector<DecisionResult> all = read_unlocked(folder);
  std::erase_if(all, [&](const DecisionResult& old) {
    return std::any_of(results.begin(), results.end(),
                       [&](const DecisionResult& result) { return is_same(old, result); });
  });
  all.insert(all.end(), results.begin(), results.end());
  CsvTable table{columns, {}};
  for (const DecisionResult& result : all) table.rows.push_back(fields_of(result));
  write_csv_files({{file_in(folder), table}});
}

std::vector<DecisionResult> read_decisions(const std::filesystem::path& folder) {
  if (!std::filesystem::exists(file_in(folder))) return {};
  const FolderLock lock(folder);
  return read_unlocked(folder);
}

std::string decisions_text(const std::vector<DecisionResult>& results) {
  if (results.empty()) return {};
  std::string text =
      fmt::format("What forbidding a decision costs; asked: somewhere at least {}\n", limit_text(worth_deciding));
  for (const std::string& name : names_of(results)) {
    text += fmt::format("  {}: {}\n", name, verdict(results, name));
    for (const DecisionResult& result : results) {
      if (result.decision == name) text += result_text(result);
    }
  }
  return text;
}

std::string decisions_section(const std::vector<DecisionResult>& results) {
  if (results.empty()) return {};
  std::string table =
      "<div class=\"wide\"><table "
      "class=\"solid\">\n<thead><tr><th>decision</th><th>asked</th><th>ground</th><th>case</th><th>forbidden "
      "by</th><th>plan "
      "with it</th><th>without</th><th>with it</th><th>without</th><th>longer without</th><th>predicted</th></tr>"
      "</thead><tbody>\n";
  for (const std::string& name : names_of(results)) {
    for (const DecisionResult& result : results) {
      if (result.decision == name) table += row_of(results, result);
    }
  }
  return plots::section("What each decision is worth",
                        "The plan with a decision free and the one with it forbidden, in turns; asked is that "
                        "forbidding it costs 10 % somewhere.",
                        table + "</tbody></table></div>\n");
}

}  // namespace tilewright::regret
