#include "loggp_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

namespace tilewright {
namespace {

constexpr const char* symbols[] = {"L", "o", "G", "g"};
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

}  // namespace

bool is_loggp_table(const CsvText& text) {
  return !text.records.empty() && std::equal(std::begin(symbols), std::end(symbols),
                                             text.records.front().fields.begin(), text.records.front().fields.end());
}

Calibration read_loggp_table(const CsvText& text, const std::string& name) {
  if (text.records.size() < 2) csv_fault(text.records.front(), "no row follows the head of the table");
  if (text.records.size() > 2) csv_fault(text.records[2], "a second row: a machine has one L, o, G and g");
  const CsvRecord& row = text.records[1];
  require_fields(row, std::size(symbols));
  Fingerprint fingerprint;
  fingerprint.source = fmt::format("{}", fmt::join(text.comments, " "));
  std::vector<PathCell> cells = cells_of(parameter(row, 0), parameter(row, 1), parameter(row, 2), parameter(row, 3));
  return {MachineProfile(name, std::move(fingerprint), std::move(cells), {}), {}};
}

}  // namespace tilewright
