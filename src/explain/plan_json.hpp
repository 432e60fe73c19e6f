// Plans as JSON values, schema "tilewright.plan/1".
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "tilewright/model/plan.hpp"

namespace tilewright {

inline constexpr std::string_view plan_schema = "tilewright.plan/1";

/// One plan by itself.
[[nodiscard]] nlohmann::ordered_json plan_to_json(const Plan& plan);

/// With what follows from its points: efficiency, node-hours, and the advice.
[[nodiscard]] nlohmann::ordered_json curve_to_json(const NodeCurve& curve);

/// What stands at the top level of a program with several segments, beside "segments".
[[nodiscard]] nlohmann::ordered_json summary_to_json(const std::vector<Plan>& segments,
                                                     const std::optional<NodeCurve>& node_curve = {});

}  // namespace tilewright
