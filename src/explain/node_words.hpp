// What a curve over node counts says, in words; the same in every format.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tilewright/model/node_curve.hpp"

namespace tilewright {

/// "Nodes 1 to 256, 4 ranks each".
[[nodiscard]] std::string node_curve_title(const NodeCurve& curve);
/// Which count is recommended and why, what more nodes would bring, from which count on they bring nothing, and below
/// which no plan is possible.
[[nodiscard]] std::vector<std::string> node_advice_sentences(const NodeCurve& curve);
/// "recommended", "fastest", or nothing.
[[nodiscard]] std::string node_remark(const NodeCurve& curve, std::size_t point);

/// "71 %" and "0.0056"; "unknown" without a value.
[[nodiscard]] std::string percent_text(const std::optional<double>& fraction);
[[nodiscard]] std::string node_hours_text(const std::optional<double>& hours);

}  // namespace tilewright
