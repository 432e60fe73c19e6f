#include "paper_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <limits>
#include <set>

#include "tilewright/core/error.hpp"

namespace tilewright {
namespace {

constexpr std::string_view size_prefix = "m_";
constexpr std::size_t first_size = 2;  // the column after path and layout
constexpr std::int64_t bytes_per_value = 4;

/// Bytes of a column named "m_50K"; also "m_7" and "m_2M".
std::int64_t column_bytes(const CsvRecord& head, std::size_t column) {
  const std::string& name = head.fields[column];
  std::string_view text = name;
  std::int64_t unit = bytes_per_value;
  if (text.ends_with('K')) unit *= 1024;
  if (text.ends_with('M')) unit *= 1024 * 1024;
  if (unit != bytes_per_value) text.remove_suffix(1);
  const bool prefixed = text.starts_with(size_prefix);
  if (prefixed) text.remove_prefix(size_prefix.size());
  std::int64_t values = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), values);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  if (!prefixed || !whole || values < 0 || values > std::numeric_limits<std::int64_t>::max() / unit) {
    csv_fault(head, fmt::format("column '{}' is no message size: write m_0, m_7, m_50K or m_2M", name));
  }
  return values * unit;
}

void add_row(const CsvRecord& row, const std::vector<std::int64_t>& sizes, std::vector<PathCell>& cells) {
  PathCell cell;
  try {
    cell.path = parse_path(row.fields[0]);
    cell.layout = parse_layout(row.fields[1]);
  } catch (const ParameterError& error) {
    csv_fault(row, error.what());
  }
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const double microseconds = csv_real(row, first_size + i);
    if (microseconds < 0) csv_fault(row, fmt::format("the time {} is negative", microseconds));
    cell.bytes = sizes[i];
    cell.time = {microseconds / 1e6, 0, 0};
    cells.push_back(cell);
  }
}

}  // namespace

bool is_paper_table(const CsvText& text) {
  if (text.records.empty()) return false;
  const std::vector<std::string>& head = text.records.front().fields;
  return head.size() > first_size && head[0] == "path" && head[1] == "layout" && head[2].starts_with(size_prefix);
}

Calibration read_paper_table(const CsvText& text, const std::string& name) {
  const CsvRecord& head = text.records.front();
  std::vector<std::int64_t> sizes;
  for (std::size_t column = first_size; column < head.fields.size(); ++column) {
    sizes.push_back(column_bytes(head, column));
    for (std::size_t i = 0; i + 1 < sizes.size(); ++i) {
      if (sizes[i] == sizes.back()) csv_fault(head, fmt::format("column '{}' is given twice", head.fields[column]));
    }
  }
  std::vector<PathCell> cells;
  std::set<std::pair<std::string, std::string>> rows;
  for (std::size_t i = 1; i < text.records.size(); ++i) {
    const CsvRecord& row = text.records[i];
    require_fields(row, head.fields.size());
    if (!rows.emplace(row.fields[0], row.fields[1]).second) {
      csv_fault(row, fmt::format("the row {},{} is given twice", row.fields[0], row.fields[1]));
    }
    add_row(row, sizes, cells);
  }
  if (cells.empty()) csv_fault(head, "no row follows the head of the table");
  Fingerprint fingerprint;
  fingerprint.source = fmt::format("{}", fmt::join(text.comments, " "));
  return {MachineProfile(name, std::move(fingerprint), std::move(cells), {}), {}};
}

}  // namespace tilewright
