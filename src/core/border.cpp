#include "tilewright/core/border.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tilewright/core/error.hpp"

namespace tilewright {
namespace {

std::int64_t modulo(std::int64_t value, std::int64_t period) {
  const std::int64_t rest = value % period;
  return rest < 0 ? rest + period : rest;
}

}  // namespace

std::string_view to_string(Border border) {
  switch (border) {
    case Border::constant:
      return "constant";
    case Border::replicate:
      return "replicate";
    case Border::reflect:
      return "reflect";
    case Border::reflect101:
      return "reflect101";
    case Border::wrap:
      return "wrap";
  }
  throw InternalError("to_string: unknown border");
}

Border parse_border(std::string_view text) {
  for (Border border : all_borders) {
    if (to_string(border) == text) return border;
  }
  throw ParameterError(fmt::format("'{}' is no border: use constant, replicate, reflect, reflect101 or wrap", text));
}

std::optional<std::int64_t> border_index(std::int64_t index, std::int64_t size, Border border) {
  if (index >= 0 && index < size) return index;
  switch (border) {
    case Border::constant:
      return std::nullopt;
    case Border::replicate:
      return std::clamp<std::int64_t>(index, 0, size - 1);
    case Border::reflect: {
      const std::int64_t folded = modulo(index, 2 * size);
      return folded < size ? folded : 2 * size - 1 - folded;
    }
    case Border::reflect101: {
      if (size == 1) return 0;
      const std::int64_t folded = modulo(index, 2 * size - 2);
      return folded < size ? folded : 2 * size - 2 - folded;
    }
    case Border::wrap:
      return modulo(index, size);
  }
  throw InternalError("border_index: unknown border");
}

}  // namespace tilewright
