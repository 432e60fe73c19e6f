#include "tilewright/model/sharing_factors.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>
#include <vector>

#include "by_size.hpp"
#include "tilewright/core/error.hpp"
#include "tilewright/model/warmth.hpp"

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

/// A refresh of before 2026-11-30 was of four sizes.
constexpr std::array<std::int64_t, 4> former_sizes{4096, 131072, 1 << 20, 8 << 20};

SharingFactors::OfSizes by_former_sizes(const std::vector<double>& factors) {
  SharingFactors::OfSizes found{};
  std::ranges::transform(SharingFactors::sizes, found.begin(),
                         [&](std::int64_t bytes) { return factor_of_size(former_sizes, factors, bytes); });
  return found;
}

/// "shared/cc 1 1 1.2 1.1 1"
std::pair<CellRow, SharingFactors::OfSizes> parse_factors(const std::string& text) {
  std::istringstream words(text);
  std::string name;
  words >> name;
  std::vector<double> factors;
  while (!(words >> std::ws).eof()) {
    if (!read_factor(words, factors.emplace_back())) throw ParameterError(text);
  }
  if (factors.size() == former_sizes.size()) return {parse_row(name), by_former_sizes(factors)};
  SharingFactors::OfSizes found{};
  if (factors.size() != found.size()) throw ParameterError(text);
  std::ranges::copy(factors, found.begin());
  return {parse_row(name), found};
}

}  // namespace

double SharingFactors::of(const PathCell& cell) const {
  CellRow refreshed = cell_row(cell);
  const auto [cold, warm] = warm_path(cell.path);
  if (warm == Warm::spilled) refreshed.path = path_of(cold, Warm::yes).value();
  const auto row = rows.find(refreshed);
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
