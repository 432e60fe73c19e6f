// One function a format; each is given one segment or more.
#pragma once

#include <string>
#include <vector>

#include "tilewright/explain/render.hpp"

namespace tilewright {

[[nodiscard]] std::string render_text(const std::vector<Plan>& segments);
[[nodiscard]] std::string render_json(const std::vector<Plan>& segments);
[[nodiscard]] std::string render_dot(const std::vector<Plan>& segments);
[[nodiscard]] std::string render_html(const std::vector<Plan>& segments);
[[nodiscard]] std::string render_slurm(const std::vector<Plan>& segments, const BatchJob& job);

}  // namespace tilewright
