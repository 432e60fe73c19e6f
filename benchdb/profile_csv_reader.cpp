#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "profile_csv.hpp"
#include "profile_sections.hpp"
#include "tilewright/core/error.hpp"
#include "tilewright/model/cell_names.hpp"

namespace tilewright {
namespace {

/// A message of `parse`, with the record's line.
template <class Parse>
auto parsed(const CsvRecord& record, Parse&& parse) {
  try {
    return parse();
  } catch (const ParameterError& error) {
    csv_fault(record, error.what());
  }
}

int integer(const CsvRecord& record, std::size_t field) {
  const std::int64_t value = csv_integer(record, field);
  if (!std::in_range<int>(value)) csv_fault(record, fmt::format("field {} is too large: {}", field + 1, value));
  return static_cast<int>(value);
}

Estimate estimate(const CsvRecord& record, std::size_t field) {
  const Estimate time{csv_real(record, field), csv_real(record, field + 1), csv_integer(record, field + 2)};
  if (time.seconds < 0 || time.spread_s < 0 || time.samples < 0) csv_fault(record, "a time or a count is negative");
  return time;
}

class Reader {
 public:
  explicit Reader(const CsvText& text) : records_(text.records) {}

  Calibration run(const std::string& name) && {
    next_ = 1;  // after the line that names the schema
    read_section(fingerprint_section, [&](const CsvRecord& record) { add_fingerprint(record); });
    read_section(path_section, [&](const CsvRecord& record) { add_path(record); });
    read_section(operator_section, [&](const CsvRecord& record) { add_operator(record); });
    read_section(sample_section, [&](const CsvRecord& record) { add_sample(record); });
    if (next_ != records_.size()) csv_fault(records_[next_], "nothing may follow the samples");
    return {MachineProfile(name, std::move(fingerprint_), std::move(paths_), std::move(operators_)),
            std::move(samples_)};
  }

 private:
  template <class Add>
  void read_section(const SectionHead& head, Add&& add) {
    expect(fmt::format("section,{}", head.name));
    const std::string present = columns_present(head);
    expect(present);
    const auto columns = static_cast<std::size_t>(std::count(present.begin(), present.end(), ',')) + 1;
    for (; next_ < records_.size() && records_[next_].fields.front() != "section"; ++next_) {
      require_fields(records_[next_], columns);
      add(records_[next_]);
    }
  }

  /// As the next record has them: all, or none or the first of those that were added later.
  [[nodiscard]] std::string columns_present(const SectionHead& head) const {
    std::string columns(head.columns);
    const std::string_view added = head.added_later;
    for (std::size_t begin = 0; begin < added.size() && !line_is(columns);) {
      const std::size_t end = std::min(added.find(',', begin + 1), added.size());
      columns += added.substr(begin, end - begin);
      begin = end;
    }
    return columns;
  }

  [[nodiscard]] bool line_is(std::string_view line) const { return next_ < records_.size() && joined() == line; }

  /// The next record's fields, as its line has them.
  [[nodiscard]] std::string joined() const {
    std::string line;
    for (const std::string& field : records_[next_].fields) line += line.empty() ? field : "," + field;
    return line;
  }

  void expect(const std::string& line) {
    if (next_ == records_.size()) {
      throw ParameterError(
          fmt::format("line {}: the file ends where '{}' is needed: it is cut off", records_.back().line, line));
    }
    if (joined() != line) csv_fault(records_[next_], fmt::format("'{}' is needed here", line));
    ++next_;
  }

  void add_fingerprint(const CsvRecord& record) {
    const std::string& name = record.fields[0];
    if (!names_.insert(name).second) csv_fault(record, fmt::format("'{}' is given twice", name));
    if (name == "machine") return;  // the caller names it
    if (name == "memory_per_node") {
      fingerprint_.memory_per_node = csv_integer(record, 1);
      return;
    }
    if (name.starts_with(setting_prefix)) {
      fingerprint_.settings[name.substr(setting_prefix.size())] = record.fields[1];
      return;
    }
    for (const auto& [known, member] : text_members()) {
      if (known == name) return void(fingerprint_.*member = record.fields[1]);
    }
    for (const auto& [known, member] : integer_members()) {
      if (known == name) return void(fingerprint_.*member = integer(record, 1));
    }
    csv_fault(record, fmt::format("'{}' is no property of a machine", name));
  }

  void add_path(const CsvRecord& record) {
    PathCell cell{parsed(record, [&] { return parse_path(record.fields[0]); }),
                  parsed(record, [&] { return parse_layout(record.fields[1]); }), csv_integer(record, 2),
                  estimate(record, 3)};
    if (record.fields.size() > 6) {
      cell.packing = parsed(record, [&] { return parse_packing(record.fields[6]); });
      cell.block_bytes = csv_integer(record, 7);
      cell.stride_bytes = csv_integer(record, 8);
    }
    cell.within_node = record.fields.size() > 9 && csv_integer(record, 9) != 0;
    if (cell.bytes < 0 || cell.block_bytes < 0 || cell.stride_bytes < 0) csv_fault(record, "a size is negative");
    require_new(record, cell_name(cell));
    paths_.push_back(std::move(cell));
  }

  void add_operator(const CsvRecord& record) {
    OperatorCell cell{record.fields[0], parsed(record, [&] { return parse_pixel_type(record.fields[1]); }),
                      csv_real(record, 2), csv_real(record, 3), estimate(record, 4)};
    if (record.fields.size() > 7) cell.ranks = integer(record, 7);
    if (record.fields.size() > 8) cell.threads = integer(record, 8);
    require_new(record, cell_name(cell));
    operators_.push_back(std::move(cell));
  }

  void add_sample(const CsvRecord& record) {
    const bool disturbed = record.fields.size() > 4 && csv_integer(record, 4) != 0;
    samples_.push_back({record.fields[0], integer(record, 1), csv_integer(record, 2), csv_real(record, 3), disturbed});
  }

  void require_new(const CsvRecord& record, const std::string& cell) {
    if (!cells_.insert(cell).second) csv_fault(record, fmt::format("the cell {} is given twice", cell));
  }

  const std::vector<CsvRecord>& records_;
  std::size_t next_ = 0;
  std::set<std::string> names_, cells_;
  Fingerprint fingerprint_;
  std::vector<PathCell> paths_;
  std::vector<OperatorCell> operators_;
  std::vector<RawSample> samples_;
};

}  // namespace

bool is_profile_csv(const CsvText& text) {
  return !text.records.empty() && text.records.front().fields == std::vector<std::string>{std::string(profile_schema)};
}

Calibration read_profile_csv(const CsvText& text, const std::string& name) {
  return Reader(text).run(name);
}

}  // namespace tilewright
