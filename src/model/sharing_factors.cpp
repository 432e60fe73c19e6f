#include "tilewright/model/sharing_factors.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>
#include <vector>

#include "by_size.hpp"
#include "tilewright/core/error.hpp"

namespace tilewright {
namespace {

using Row = std::pair<Path, Layout>;

/// "shared/cc"
Row parse_row(const std::string& text) {
  const auto slash = std::min(text.find('/'), text.size());
  return {parse_path(text.substr(0, slash)), parse_layout(text.substr(std::min(slash + 1, text.size())))};
}

/// "shared/cc 1 1 1.2 1.1"
std::pair<Row, SharingFactors::OfSizes> parse_factors(const std::string& text) {
  std::istringstream words(text);
  std::string name;
  SharingFactors::OfSizes factors{};
  words >> name;
  for (double& factor : factors) {
    if (!read_factor(words, factor)) throw ParameterError(text);
  }
  if (!(words >> std::ws).eof()) throw ParameterError(text);
  return {parse_row(name), factors};
}

}  // namespace

double SharingFactors::of(const PathCell& cell) const {
  const auto row = rows.find({cell.path, cell.layout});
  return row == rows.end() ? 1 : factor_of_size(sizes, row->second, cell.bytes);
}

std::string to_string(const SharingFactors& factors) {
  std::vector<std::string> rows;
  for (const auto& [row, of_sizes] : factors.rows)
    rows.push_back(fmt::format("{}/{} {:.4g}", to_string(row.first), to_string(row.second), fmt::join(of_sizes, " ")));
  return fmt::format("{}", fmt::join(rows, ", "));
}

std::optional<SharingFactors> parse_sharing_factors(std::string_view text) {
  SharingFactors factors;
  std::istringstream rows{std::string(text)};
  try {
    for (std::string row; std::getline(rows, row, ',');) {
      if (!factors.rows.insert(parse_factors(row)).second) return std::nullopt;
    }
  } catch (const ParameterError&) {
    return std::nullopt;
  }
  return factors;
}

}  // namespace tilewright
