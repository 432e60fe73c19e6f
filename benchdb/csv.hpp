// Comma-separated values (RFC 4180) with comment lines, and their numbers. Faults carry the line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright {

struct CsvRecord {
  std::size_t line = 0;  ///< where it begins, counted from 1
  std::vector<std::string> fields;
};

struct CsvText {
  std::vector<std::string> comments;  ///< lines that begin with '#', without it
  std::vector<CsvRecord> records;     ///< empty lines are left out
};

/// Throws ParameterError for a quote that is not closed, or stands inside a field.
[[nodiscard]] CsvText parse_csv(std::string_view text);

/// `field`, quoted if it has to be to be read back as it is.
[[nodiscard]] std::string csv_field(std::string_view field);

/// Throws ParameterError that begins with the line.
[[noreturn]] void csv_fault(const CsvRecord& record, const std::string& what);

/// Throws ParameterError unless the record has that many fields.
void require_fields(const CsvRecord& record, std::size_t count);

/// The number in that field. Throws ParameterError if it is none, is not finite, or does not fit.
[[nodiscard]] double csv_real(const CsvRecord& record, std::size_t field);
[[nodiscard]] std::int64_t csv_integer(const CsvRecord& record, std::size_t field);

}  // namespace tilewright
