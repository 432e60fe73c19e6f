#include "loggp_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

namespace tilewright {
namespace {

constexpr const char* symbols[] = {"L", "o", "G", "g"};
/// What the paper of log_nP prints beside them.
constexpr const char* log_3p_symbols[] = {"o_mw", "l_mw", "T_mem", "o_net", "T00", "T01"};
constexpr double microsecond = 1e-6;
constexpr std::int64_t longest_bytes = std::int64_t{1} << 30;

double parameter(const CsvRecord& row, std::size_t field) {
  const double microseconds = csv_real(row, field);
  if (microseconds < 0) csv_fault(row, fmt::format("{} = {} is negative", symbols[field], microseconds));
  return microseconds * microsecond;
}

std::vector<PathCell> cells_of(double latency_s, double overhead_s, double gap_s_a_byte, double gap_s) {
  std::vector<PathCell> cells;
  for (const std::int64_t bytes : {std::int64_t{0}, std::int64_t{1}, longest_bytes}) {
    const double rest_s = static_cast<double>(std::max<std::int64_t>(0, bytes - 1)) * gap_s_a_byte;
    cells.push_back({Path::send, Layout::cc, bytes, {gap_s + rest_s, 0, 0}});
    cells.push_back({Path::recv, Layout::cc, bytes, {gap_s + rest_s, 0, 0}});
    cells.push_back({Path::full, Layout::cc, bytes, {2 * overhead_s + latency_s + rest_s, 0, 0}});
    cells.push_back({Path::overhead, Layout::cc, bytes, {overhead_s, 0, 0}});
  }
  return cells;
}

template <std::size_t N>
bool is_head(const CsvRecord& record, const char* const (&names)[N]) {
  return std::equal(std::begin(names), std::end(names), record.fields.begin(), record.fields.end());
}

/// The numbers of log_3P, which are of one message alone, in words; empty if there are none.
std::string log_3p_text(const CsvText& text) {
  constexpr std::size_t head = 2;
  if (text.records.size() == head) return {};
  if (!is_head(text.records[head], log_3p_symbols)) {
    csv_fault(text.records[head], "a second row: a machine has one L, o, G and g");
  }
  if (text.records.size() != head + 2) csv_fault(text.records[head], "log_3P's numbers are one row");
  const CsvRecord& row = text.records[head + 1];
  require_fields(row, std::size(log_3p_symbols));
  std::string numbers;
  for (std::size_t i = 0; i < row.fields.size(); ++i) {
    numbers += fmt::format("{}{} {}", i == 0 ? " " : ", ", log_3p_symbols[i], csv_real(row, i));
  }
  return numbers;
}

}  // namespace

bool is_loggp_table(const CsvText& text) {
  return !text.records.empty() && is_head(text.records.front(), symbols);
}

Calibration read_loggp_table(const CsvText& text, const std::string& name) {
  if (text.records.size() < 2) csv_fault(text.records.front(), "no row follows the head of the table");
  const CsvRecord& row = text.records[1];
  require_fields(row, std::size(symbols));
  Fingerprint fingerprint;
  fingerprint.source = fmt::format("{}{}", fmt::join(text.comments, " "), log_3p_text(text));
  std::vector<PathCell> cells = cells_of(parameter(row, 0), parameter(row, 1), parameter(row, 2), parameter(row, 3));
  return {MachineProfile(name, std::move(fingerprint), std::move(cells), {}), {}};
}

}  // namespace tilewright
