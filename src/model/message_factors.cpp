#include "tilewright/model/message_factors.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <sstream>

namespace tilewright {
namespace {

bool is_message(Path path) {
  const bool is_of_pattern = std::ranges::find(all_patterns, path) != std::end(all_patterns);
  return std::ranges::find(all_paths, path) != std::end(all_paths) || is_of_exchange(path) || is_of_pattern ||
         path == Path::overhead;
}

double between(const MessageFactors::OfSizes& factors, std::int64_t bytes) {
  const auto& sizes = MessageFactors::sizes;
  const auto above = static_cast<std::size_t>(std::ranges::upper_bound(sizes, bytes) - sizes.begin());
  if (above == 0) return factors.front();
  if (above == sizes.size()) return factors.back();
  const double low = std::log(sizes[above - 1]), high = std::log(sizes[above]);
  const double share = (std::log(static_cast<double>(bytes)) - low) / (high - low);
  return std::lerp(factors[above - 1], factors[above], share);
}

}  // namespace

bool is_packed_by_library(const PathCell& cell) {
  return cell.layout != Layout::cc && cell.packing == Packing::datatype;
}

double MessageFactors::of(const PathCell& cell) const {
  if (is_through_shared_memory(cell.path)) return between(sharing, cell.bytes);
  if (!is_message(cell.path) || cell.within_node) return 1;
  return between(is_packed_by_library(cell) ? by_library : whole, cell.bytes);
}

std::array<double, 3 * MessageFactors::sizes.size()> MessageFactors::all() const {
  std::array<double, 3 * sizes.size()> factors{};
  auto next = std::ranges::copy(whole, factors.begin()).out;
  next = std::ranges::copy(by_library, next).out;
  std::ranges::copy(sharing, next);
  return factors;
}

std::string to_string(const MessageFactors& factors) {
  return fmt::format("{:.4g}", fmt::join(factors.all(), " "));
}

std::optional<MessageFactors> parse_message_factors(std::string_view text) {
  std::istringstream words{std::string(text)};
  MessageFactors factors;
  const auto is_read = [&](double& factor) { return words >> factor && std::isfinite(factor) && factor > 0; };
  const auto is_at_end = [&] { return (words >> std::ws).eof(); };
  if (!std::ranges::all_of(factors.whole, is_read) || !std::ranges::all_of(factors.by_library, is_read))
    return std::nullopt;
  if (is_at_end() || (std::ranges::all_of(factors.sharing, is_read) && is_at_end())) return factors;
  return std::nullopt;
}

}  // namespace tilewright
