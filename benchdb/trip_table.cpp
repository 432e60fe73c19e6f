#include "trip_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <set>

namespace tilewright {
namespace {

constexpr const char* columns[] = {"table", "key", "inside", "between"};
constexpr std::string_view of_trips = "trip";
constexpr std::int64_t array_bytes = 4'000'000;
constexpr double millisecond = 1e-3;

std::int64_t part(const CsvRecord& row, std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 1 || value > array_bytes) {
    csv_fault(row, fmt::format("'{}' is no fraction of the array: write 1/1, or 3/4", row.fields[1]));
  }
  return value;
}

std::int64_t bytes_of(const CsvRecord& row) {
  const std::string_view fraction = row.fields[1];
  const std::size_t slash = std::min(fraction.find('/'), fraction.size());
  const std::int64_t parts = part(row, fraction.substr(0, slash));
  return array_bytes * parts / part(row, fraction.substr(std::min(slash + 1, fraction.size())));
}

double seconds(const CsvRecord& row, std::size_t field) {
  const double milliseconds = csv_real(row, field);
  if (milliseconds < 0) csv_fault(row, fmt::format("the time {} is negative", milliseconds));
  return milliseconds * millisecond;
}

}  // namespace

bool is_trip_table(const CsvText& text) {
  return !text.records.empty() && std::equal(std::begin(columns), std::end(columns),
                                             text.records.front().fields.begin(), text.records.front().fields.end());
}

Calibration read_trip_table(const CsvText& text, const std::string& name) {
  std::vector<PathCell> cells;
  std::set<std::int64_t> sizes;
  for (std::size_t i = 1; i < text.records.size() && text.records[i].fields.front() == of_trips; ++i) {
    const CsvRecord& row = text.records[i];
    require_fields(row, std::size(columns));
    const std::int64_t bytes = bytes_of(row);
    if (!sizes.insert(bytes).second) csv_fault(row, fmt::format("the fraction {} is given twice", row.fields[1]));
    for (const Path path : all_paths) {
      cells.push_back({path, Layout::cc, bytes, {seconds(row, 3), 0, 0}});
      cells.push_back({path, Layout::cc, bytes, {seconds(row, 2), 0, 0}, Packing::datatype, 0, 0, true});
    }
  }
  if (cells.empty()) csv_fault(text.records.front(), "no trip follows the head of the table");
  Fingerprint fingerprint;
  fingerprint.source = fmt::format("{}", fmt::join(text.comments, " "));
  return {MachineProfile(name, std::move(fingerprint), std::move(cells), {}), {}};
}

}  // namespace tilewright
