// What a plan is chosen for.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tilewright {

/// What the best plan has least of: seconds, or hours that its nodes are taken for.
enum class Objective : std::uint8_t { time, node_hours };

[[nodiscard]] std::string_view to_string(Objective objective);
/// Throws ParameterError for an unknown name.
[[nodiscard]] Objective parse_objective(std::string_view text);

/// What the best plan is the best of.
struct Wishes {
  Objective objective = Objective::time;
  std::optional<double> most_node_hours = {};  ///< a plan that takes more is left out
  bool operator==(const Wishes&) const = default;
};

}  // namespace tilewright
