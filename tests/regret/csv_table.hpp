// A table as comma-separated values (RFC 4180), read back exactly.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tilewright::regret {

struct CsvTable {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;
};

[[nodiscard]] std::string to_csv(const CsvTable& table);
/// Throws std::runtime_error, naming `source` and the line, for an open quote and for a row that is not as long as the
/// header.
[[nodiscard]] CsvTable parse_csv(std::string_view text, std::string_view source);

[[nodiscard]] CsvTable read_csv_file(const std::filesystem::path& path);
/// Writes all beside the files and renames only then, so that nobody sees half of a file.
void write_csv_files(const std::vector<std::pair<std::filesystem::path, CsvTable>>& files);

/// With 17 digits, so that the same number is read back; nan and inf as such.
[[nodiscard]] std::string csv_text(double value);
[[nodiscard]] std::string csv_text(bool value);
// Each throws std::runtime_error, naming `what`, unless the whole text is such a value.
[[nodiscard]] double csv_double(std::string_view text, std::string_view what);
[[nodiscard]] std::int64_t csv_integer(std::string_view text, std::string_view what);
[[nodiscard]] bool csv_bool(std::string_view text, std::string_view what);

}  // namespace tilewright::regret
