#include "tilewright/benchdb/exchange.hpp"

#include <fmt/format.h>

#include <fstream>
#include <iterator>

#include "calibration_check.hpp"
#include "csv.hpp"
#include "loggp_table.hpp"
#include "paper_table.hpp"
#include "profile_csv.hpp"
#include "profile_json.hpp"
#include "profile_sections.hpp"
#include "tilewright/core/error.hpp"
#include "trip_table.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

std::string content_of(const fs::path& path) {
  std::error_code error;
  if (!fs::exists(path, error)) throw ParameterError("does not exist");
  if (fs::is_directory(path, error)) throw ParameterError("is a folder: name the file in it");
  std::ifstream file(path, std::ios::binary);
  if (!file) throw ParameterError("cannot be read: check its permissions");
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (file.bad()) throw ParameterError("cannot be read to its end");
  return text;
}

/// The content decides, not the file's name.
Calibration parse_profile(const std::string& text, const std::string& name) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) throw ParameterError("is empty");
  if (text[first] == '{') return read_profile_json(text, name);
  const CsvText csv = parse_csv(text);
  if (is_profile_csv(csv)) return read_profile_csv(csv, name);
  if (is_paper_table(csv)) return read_paper_table(csv, name);
  if (is_loggp_table(csv)) return read_loggp_table(csv, name);
  if (is_trip_table(csv)) return read_trip_table(csv, name);
  throw ParameterError(
      fmt::format("line {}: is no machine profile: it must begin with '{}', with 'path,layout,m_...' "
                  "or 'L,o,G,g' (times in microseconds), with 'table,key,inside,between' (trips in milliseconds), or "
                  "be JSON",
                  csv.records.empty() ? 1 : csv.records.front().line, profile_schema));
}

}  // namespace

Calibration read_profile(const fs::path& path, const std::string& name) {
  if (name.empty()) throw ParameterError(fmt::format("profile '{}': the machine needs a name", path.string()));
  try {
    Calibration calibration = parse_profile(content_of(path), name);
    require_storable(calibration);
    return calibration;
  } catch (const ParameterError& error) {
    throw ParameterError(fmt::format("profile '{}': {}", path.string(), error.what()));
  }
}

std::string write_profile(const Calibration& calibration, ProfileFormat format) {
  require_storable(calibration);
  return format == ProfileFormat::json ? write_profile_json(calibration) : write_profile_csv(calibration);
}

}  // namespace tilewright
