#include "tilewright/model/message_factors.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <sstream>

#include "by_size.hpp"

namespace tilewright {
namespace {

bool is_message(Path path) {
  const bool is_of_pattern = std::ranges::find(all_patterns, path) != std::end(all_patterns);
  return is_of_two_ranks(path) || is_of_exchange(path) || is_of_pattern || path == Path::overhead;
}

}  // namespace

bool is_packed_by_library(const PathCell& cell) {
  return cell.layout != Layout::cc && cell.packing == Packing::datatype;
}

double MessageFactors::of(const PathCell& cell) const {
  if (!is_message(cell.path) || cell.within_node) return 1;
  return factor_of_size(sizes, is_packed_by_library(cell) ? by_library : whole, cell.bytes);
}

std::array<double, 2 * MessageFactors::sizes.size()> MessageFactors::all() const {
  std::array<double, 2 * sizes.size()> factors{};
  std::ranges::copy(by_library, std::ranges::copy(whole, factors.begin()).out);
  return factors;
}

std::string to_string(const MessageFactors& factors) {
  return fmt::format("{:.4g}", fmt::join(factors.all(), " "));
}

std::optional<MessageFactors> parse_message_factors(std::string_view text) {
  std::istringstream words{std::string(text)};
  MessageFactors factors;
  const auto is_read = [&](double& factor) { return read_factor(words, factor); };
  const auto is_at_end = [&] { return (words >> std::ws).eof(); };
  if (!std::ranges::all_of(factors.whole, is_read) || !std::ranges::all_of(factors.by_library, is_read))
    return std::nullopt;
  if (is_at_end()) return factors;
  MessageFactors::OfSizes of_shared_memory{};
  if (std::ranges::all_of(of_shared_memory, is_read) && is_at_end()) return factors;
  return std::nullopt;
}

}  // namespace tilewright
