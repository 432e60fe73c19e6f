#include <nlohmann/json.hpp>

#include "tilewright/explain/render.hpp"

namespace tilewright {

std::string diff_json(const std::vector<Plan>& a, const std::vector<Plan>& b) {
  using Json = nlohmann::ordered_json;
  const Json patch = Json::diff(Json::parse(render(a, PlanFormat::json)), Json::parse(render(b, PlanFormat::json)));
  return Json{{"schema", "tilewright.plan-diff/1"}, {"equal", patch.empty()}, {"patch", patch}}.dump(2) + "\n";
}

}  // namespace tilewright
