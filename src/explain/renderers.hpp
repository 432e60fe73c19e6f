// One function a format; each is given one segment or more. The node curve of several is as render() has it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tilewright/explain/render.hpp"

namespace tilewright {

[[nodiscard]] std::string render_text(const std::vector<Plan>& segments, const std::optional<NodeCurve>& node_curve);
[[nodiscard]] std::string render_json(const std::vector<Plan>& segments, const std::optional<NodeCurve>& node_curve);
[[nodiscard]] std::string render_dot(const std::vector<Plan>& segments);
[[nodiscard]] std::string render_html(const std::vector<Plan>& segments, const std::optional<NodeCurve>& node_curve);
[[nodiscard]] std::string render_slurm(const std::vector<Plan>& segments, const BatchJob& job);

}  // namespace tilewright
