#include <fmt/format.h>

#include "node_words.hpp"
#include "plan_json.hpp"
#include "renderers.hpp"
#include "totals.hpp"
#include "words.hpp"

namespace tilewright {
namespace {

using Json = nlohmann::ordered_json;

template <class Value>
Json or_null(const std::optional<Value>& value) {
  if constexpr (std::is_enum_v<Value>) {
    return value ? Json(to_string(*value)) : Json(nullptr);
  } else {
    return value ? Json(*value) : Json(nullptr);
  }
}

Json or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

Json halo_to_json(const Halo& halo) {
  return {{"x", halo.x}, {"y", halo.y}};
}

Json step_to_json(const Plan& plan, const PlanStep& step) {
  Json json{{"kind", to_string(step.kind)},
            {"operator", or_null(step.operation)},
            {"image", step.image >= 0 && step.image < static_cast<int>(plan.images.size())
                          ? Json(plan.images[static_cast<std::size_t>(step.image)].name)
                          : Json(nullptr)},
            {"image_index", step.image},
            {"results", step.results},
            {"bands", step.bands},
            {"output", step.output},
            {"site", to_string(step.site)},
            {"algorithm", or_null(step.algorithm)},
            {"packing", or_null(step.packing)},
            {"layout", or_null(step.layout)},
            {"exchanged", halo_to_json(step.exchanged)},
            {"cyclic", step.cyclic},
            {"margin", halo_to_json(step.margin)},
            {"messages", step.messages},
            {"bytes", step.bytes},
            {"predicted_seconds", or_null(step.predicted_seconds)}};
  if (step.grid) json["grid"] = to_string(*step.grid);
  if (step.former) json["former_grid"] = to_string(*step.former);
  if (step.in_turn) json["in_turn"] = true;
  if (step.overlapped) json["overlapped"] = true;
  if (step.threads) json["threads"] = *step.threads;
  if (step.hidden_seconds > 0) json["hidden_seconds"] = step.hidden_seconds;
  if (step.measured_seconds) json["measured_seconds"] = *step.measured_seconds;
  json["releases"] = Json::array();
  for (const Release& release : step.releases) {
    json["releases"].push_back({{"image", release.image}, {"whole", release.whole}});
  }
  for (const RejectedAlgorithm& other : step.rejected) {
    json["rejected"].push_back({{"algorithm", or_null(other.algorithm)},
                                {"predicted_seconds", or_null(other.predicted_seconds)},
                                {"why_not", other.why_not}});
  }
  return json;
}

Json alternative_to_json(const Alternative& other) {
  Json json{{"ranks", other.ranks},
            {"grid", to_string(other.grid)},
            {"predicted_seconds", or_null(other.predicted_seconds)},
            {"why_not", other.why_not}};
  if (other.second_grid) json["second_grid"] = to_string(*other.second_grid);
  if (other.in_turn) json["in_turn"] = true;
  if (other.lower_bound_seconds) json["lower_bound_seconds"] = *other.lower_bound_seconds;
  return json;
}

Json image_to_json(const PlanImage& image) {
  Json json{{"name", image.name},
            {"width", image.shape.extent.width},
            {"height", image.shape.extent.height},
            {"type", to_string(image.shape.format.type)},
            {"channels", image.shape.format.channels},
            {"storage_halo", halo_to_json(image.storage_halo)}};
  if (image.stays_on_tiles) json["stays_on_tiles"] = true;
  return json;
}

Json point_to_json(const NodeCurve& curve, const NodePoint& point) {
  return {{"nodes", point.nodes},
          {"ranks", point.ranks},
          {"grid", to_string(point.grid)},
          {"predicted_seconds", or_null(point.predicted_seconds)},
          {"efficiency", or_null(efficiency(curve, point))},
          {"node_bytes", point.node_bytes},
          {"node_hours", or_null(node_hours(point))}};
}

Json tie_to_json(const TieZone& tie) {
  return {{"fastest_seconds", tie.fastest_seconds},
          {"fastest_grid", to_string(tie.fastest_grid)},
          {"zone_seconds", tie.zone_seconds}};
}

Json configuration_to_json(const Plan& plan) {
  Json json{{"schema", plan_schema},
            {"machine", plan.machine},
            {"model", plan.model},
            {"ranks", plan.ranks},
            {"threads", plan.threads},
            {"grid", to_string(plan.grid)},
            {"predicted_seconds", or_null(plan.predicted_seconds)},
            {"lower_bound_seconds", or_null(plan.lower_bound_seconds)},
            {"proven_optimal", plan.proven_optimal},
            {"partial", plan.partial},
            {"root_bytes", plan.root_bytes},
            {"rank_bytes", plan.rank_bytes},
            {"notes", plan.notes}};
  if (plan.uncertainty_seconds) json["uncertainty_seconds"] = *plan.uncertainty_seconds;
  if (plan.tie) json["tie"] = tie_to_json(*plan.tie);
  if (plan.ranks_per_node > 1) json["ranks_per_node"] = plan.ranks_per_node;
  return json;
}

/// A plan without a curve does not have the member.
void add_curve(Json& json, const std::optional<NodeCurve>& curve) {
  if (curve) json["node_curve"] = curve_to_json(*curve);
}

}  // namespace

Json curve_to_json(const NodeCurve& curve) {
  const auto found = advice(curve);
  Json json{{"first", curve.first},
            {"last", curve.last},
            {"ranks_per_node", curve.ranks_per_node},
            {"recommended", found ? Json(curve.points[found->recommended].nodes) : Json(nullptr)},
            {"fastest", found ? Json(curve.points[found->fastest].nodes) : Json(nullptr)},
            {"advice", node_advice_sentences(curve)}};
  json["points"] = Json::array();
  for (const NodePoint& point : curve.points) json["points"].push_back(point_to_json(curve, point));
  return json;
}

Json plan_to_json(const Plan& plan) {
  Json json = configuration_to_json(plan);
  json["pipeline_hash"] = fmt::format("{:016x}", plan.pipeline_hash);
  json["images"] = Json::array();
  for (const PlanImage& image : plan.images) json["images"].push_back(image_to_json(image));
  json["steps"] = Json::array();
  for (const PlanStep& step : plan.steps) json["steps"].push_back(step_to_json(plan, step));
  json["alternatives"] = Json::array();
  for (const Alternative& other : plan.alternatives) json["alternatives"].push_back(alternative_to_json(other));
  add_curve(json, plan.node_curve);
  return json;
}

Json summary_to_json(const std::vector<Plan>& segments, const std::optional<NodeCurve>& node_curve) {
  const Plan summary = summary_of(segments, node_curve);
  Json json = configuration_to_json(summary);
  json["steps"] = Json::array();
  json["alternatives"] = Json::array();
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const Json plan = plan_to_json(segments[i]);
    for (const char* list : {"steps", "alternatives"}) {
      for (Json element : plan[list]) {
        element["segment"] = i;
        json[list].push_back(std::move(element));
      }
    }
  }
  add_curve(json, summary.node_curve);
  return json;
}

std::string render_json(const std::vector<Plan>& segments, const std::optional<NodeCurve>& node_curve) {
  Json json = segments.size() == 1 ? plan_to_json(segments.front()) : summary_to_json(segments, node_curve);
  if (segments.size() > 1) {
    json["segments"] = Json::array();
    for (const Plan& segment : segments) json["segments"].push_back(plan_to_json(segment));
  }
  // File names need not be UTF-8, but JSON must be: bytes that are none become U+FFFD.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tilewright
