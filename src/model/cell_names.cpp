#include "tilewright/model/cell_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <vector>

#include "tilewright/core/error.hpp"

namespace tilewright {
namespace {

constexpr std::string_view within_prefix = "within/";

std::vector<std::string_view> parts_of(std::string_view name) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t slash = name.find('/');
    parts.push_back(name.substr(0, slash));
    if (slash == std::string_view::npos) return parts;
    name.remove_prefix(slash + 1);
  }
}

/// Throws ParameterError unless all of the text is a number.
template <class Number>
Number number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw ParameterError(fmt::format("'{}' is no number", text));
  }
  return value;
}

/// What `make` makes of the parts; none if they are others.
template <class Make>
auto named(std::string_view name, Make&& make) -> std::optional<decltype(make(parts_of(name)))> {
  try {
    return make(parts_of(name));
  } catch (const ParameterError&) {
    return std::nullopt;
  }
}

void require(bool condition) {
  if (!condition) throw ParameterError("another number of parts");
}

}  // namespace

std::string cell_name(const PathCell& cell) {
  const std::string name = fmt::format("{}{}/{}/{}", cell.within_node ? within_prefix : "", to_string(cell.path),
                                       to_string(cell.layout), cell.bytes);
  if (cell.has_paper_blocks() && cell.packing == Packing::datatype) return name;
  return fmt::format("{}/{}/{}/{}", name, to_string(cell.packing), cell.block_bytes, cell.stride_bytes);
}

std::string cell_name(const OperatorCell& cell) {
  const std::string name = fmt::format("{}/{}/{}/{}", cell.key, to_string(cell.type), cell.parameter, cell.tile_pixels);
  if (cell.threads > 1) return fmt::format("{}/{}/{}", name, cell.ranks, cell.threads);
  return cell.ranks == 1 ? name : fmt::format("{}/{}", name, cell.ranks);
}

std::optional<PathCell> path_cell_named(std::string_view name) {
  const bool within_node = name.starts_with(within_prefix);
  if (within_node) name.remove_prefix(within_prefix.size());
  return named(name, [&](const std::vector<std::string_view>& parts) {
    require(parts.size() == 3 || parts.size() == 6);
    PathCell cell{parse_path(parts[0]), parse_layout(parts[1]), number<std::int64_t>(parts[2]), {}};
    cell.within_node = within_node;
    if (parts.size() == 3) return cell;
    cell.packing = parse_packing(parts[3]);
    cell.block_bytes = number<std::int64_t>(parts[4]);
    cell.stride_bytes = number<std::int64_t>(parts[5]);
    return cell;
  });
}

std::optional<OperatorCell> operator_cell_named(std::string_view name) {
  return named(name, [](const std::vector<std::string_view>& parts) {
    require(parts.size() >= 4 && parts.size() <= 6);
    OperatorCell cell{
        std::string(parts[0]), parse_pixel_type(parts[1]), number<double>(parts[2]), number<double>(parts[3]), {}};
    if (parts.size() > 4) cell.ranks = number<int>(parts[4]);
    if (parts.size() > 5) cell.threads = number<int>(parts[5]);
    return cell;
  });
}

const PathCell* find_cell(const std::vector<PathCell>& cells, std::string_view name) {
  const auto found = std::ranges::find_if(cells, [&](const PathCell& cell) { return cell_name(cell) == name; });
  return found != cells.end() ? &*found : nullptr;
}

}  // namespace tilewright
