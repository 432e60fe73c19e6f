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

/// "shared/cc", or "message-scatter/cc/manual"
std::string name_of(const CellRow& row) {
  const std::string name = fmt::format("{}/{}", to_string(row.path), to_string(row.layout));
  return row.packing == Packing::datatype ? name : fmt::format("{}/{}", name, to_string(row.packing));
}

CellRow parse_row(const std::string& text) {
  std::istringstream words(text);
  std::string path, layout, packing;
  std::getline(std::getline(words, path, '/'), layout, '/');
  CellRow row{parse_path(path), parse_layout(layout)};
  if (words.eof()) return row;
  std::getline(words, packing);
  row.packing = parse_packing(packing);
  return row;
}

/// "shared/cc 1 1 1.2 1.1"
std::pair<CellRow, SharingFactors::OfSizes> parse_factors(const std::string& text) {
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
  const auto row = rows.find(cell_row(cell));
  return row == rows.end() ? 1 : factor_of_size(sizes, row->second, cell.bytes);
}

std::string to_string(const SharingFactors& factors) {
  std::vector<std::string> rows;
  for (const auto& [row, of_sizes] : factors.rows)
    rows.push_back(fmt::format("{} {:.4g}", name_of(row), fmt::join(of_sizes, " ")));
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
