#include "describe.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tilewright/core/units.hpp"

namespace tilewright {

std::string describe_border(Border border, double border_value) {
  const std::string name = fmt::format("border={}", to_string(border));
  return border == Border::constant ? fmt::format("{}, border_value={}", name, border_value) : name;
}

std::string describe_values(std::span<const double> values) {
  constexpr std::size_t few = 25;
  const std::string all = fmt::format("{}", fmt::join(values, ", "));
  if (values.size() <= few) return fmt::format("[{}]", all);
  return fmt::format("[{} values, #{:016x}]", values.size(), hash_text(all));
}

}  // namespace tilewright
