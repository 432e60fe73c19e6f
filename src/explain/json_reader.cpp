#include <fmt/format.h>

#include <charconv>
#include <limits>

#include "json_object.hpp"
#include "plan_json.hpp"
#include "tilewright/explain/render.hpp"

namespace tilewright {
namespace {

using nlohmann::json;

constexpr std::int64_t int_max = std::numeric_limits<int>::max();
constexpr std::int64_t any_size = std::numeric_limits<std::int64_t>::max();

int positive(const JsonObject& object, const std::string& key) {
  return static_cast<int>(object.integer(key, 1, int_max));
}

int read_threads(const JsonObject& object) {
  return static_cast<int>(object.integer("threads", 1, most_threads));
}

/// Larger images have no borders whose bytes could be counted.
Extent read_extent(const JsonObject& object) {
  const Extent extent{object.integer("width", 1, any_size), object.integer("height", 1, any_size)};
  try {
    check_size(extent);
  } catch (const ParameterError& error) {
    object.fault("width", fmt::format("is too large: {}", error.what()));
  }
  return extent;
}

Halo read_halo(const JsonObject& object) {
  constexpr std::int64_t largest = std::int64_t{1} << 32;  // as images are
  return {object.integer("x", 0, largest), object.integer("y", 0, largest)};
}

/// The grid of an object that has "ranks" too; both must agree.
ProcessGrid read_grid(const JsonObject& object) {
  const ProcessGrid grid = object.parsed("grid", parse_grid);
  const std::int64_t ranks = object.integer("ranks", 1, int_max);
  if (grid.ranks() != ranks) {
    object.fault("grid", fmt::format("{} does not have the plan's {} ranks", to_string(grid), ranks));
  }
  return grid;
}

std::uint64_t read_hash(const JsonObject& object) {
  return object.parsed("pipeline_hash", [](const std::string& text) {
    std::uint64_t hash = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), hash, 16);
    if (error != std::errc() || end != text.data() + text.size()) {
      throw ParameterError(fmt::format("is '{}', where up to 16 hexadecimal digits are needed", text));
    }
    return hash;
  });
}

PlanImage read_image(const JsonObject& object) {
  PlanImage image;
  image.name = object.text("name");
  image.shape.extent = read_extent(object);
  image.shape.format = {object.parsed("type", parse_pixel_type),
                        static_cast<int>(object.integer("channels", 1, max_channels))};
  image.storage_halo = read_halo(object.object("storage_halo"));
  if (object.has("stays_on_tiles")) image.stays_on_tiles = object.truth("stays_on_tiles");
  return image;
}

int read_image_index(const JsonObject& object, const std::string& key, const Plan& plan) {
  return static_cast<int>(object.integer(key, 0, static_cast<std::int64_t>(plan.images.size()) - 1));
}

PlanStep read_step(const JsonObject& object, const Plan& plan) {
  PlanStep step;
  step.kind = object.parsed("kind", parse_step_kind);
  step.site = object.parsed("site", parse_site);
  step.image = read_image_index(object, "image_index", plan);
  const std::string& name = plan.images[static_cast<std::size_t>(step.image)].name;
  if (object.text("image") != name) {
    object.fault("image", fmt::format("is '{}', but the image {} is '{}'", object.text("image"), step.image, name));
  }
  if (object.has("results")) {  // older plans make one image a step
    const auto images = static_cast<std::int64_t>(plan.images.size());
    step.results = static_cast<int>(object.integer("results", 1, images - step.image));
  }
  if (object.has("bands")) step.bands = static_cast<int>(object.integer("bands", 1, int_max));
  step.output = static_cast<int>(object.integer("output", -1, int_max));
  step.operation = object.text_or_null("operator");
  step.algorithm = object.parsed_or_null("algorithm", parse_algorithm);
  step.packing = object.parsed_or_null("packing", parse_packing);
  step.layout = object.text_or_null("layout");
  step.exchanged = read_halo(object.object("exchanged"));
  step.cyclic = object.truth("cyclic");
  if (object.has("margin")) step.margin = read_halo(object.object("margin"));  // older plans compute tiles alone
  step.messages = object.integer("messages", 0, any_size);
  step.bytes = object.integer("bytes", 0, any_size);
  step.predicted_seconds = object.seconds_or_null("predicted_seconds");
  if (object.has("in_turn")) step.in_turn = object.truth("in_turn");
  if (object.has("overlapped")) step.overlapped = object.truth("overlapped");
  if (object.has("hidden_seconds")) step.hidden_seconds = object.seconds("hidden_seconds");
  if (object.has("grid")) step.grid = object.parsed("grid", parse_grid);
  if (object.has("threads")) step.threads = read_threads(object);
  if (object.has("former_grid")) step.former = object.parsed("former_grid", parse_grid);
  if (object.has("measured_seconds")) step.measured_seconds = object.seconds("measured_seconds");
  for (const JsonObject& release : object.objects("releases")) {
    step.releases.push_back({read_image_index(release, "image", plan), release.truth("whole")});
  }
  if (object.has("rejected")) {  // of a transfer with a choice, and of reading
    for (const JsonObject& other : object.objects("rejected")) {
      step.rejected.push_back({other.parsed_or_null("algorithm", parse_algorithm),
                               other.seconds_or_null("predicted_seconds"), other.text("why_not")});
    }
  }
  return step;
}

Alternative read_alternative(const JsonObject& object) {
  Alternative other{positive(object, "ranks"), read_grid(object), object.seconds_or_null("predicted_seconds"),
                    object.text("why_not")};
  if (object.has("in_turn")) other.in_turn = object.truth("in_turn");
  if (object.has("second_grid")) other.second_grid = object.parsed("second_grid", parse_grid);
  if (object.has("lower_bound_seconds")) other.lower_bound_seconds = object.seconds("lower_bound_seconds");
  return other;
}

NodePoint read_point(const JsonObject& object) {
  return {positive(object, "nodes"), positive(object, "ranks"), read_grid(object),
          object.seconds_or_null("predicted_seconds"), object.integer("node_bytes", 0, any_size)};
}

/// What the object repeats of its points must follow from them.
NodeCurve read_curve(const JsonObject& object) {
  NodeCurve curve{positive(object, "first"), positive(object, "last"), positive(object, "ranks_per_node"), {}};
  for (const JsonObject& point : object.objects("points")) curve.points.push_back(read_point(point));
  const json expected = curve_to_json(curve);
  for (const auto& [key, value] : expected.items()) {
    if (object.at(key) != value) object.fault(key, "does not follow from the points");
  }
  return curve;
}

void check_schema(const JsonObject& object) {
  if (object.text("schema") == plan_schema) return;
  object.fault("schema", fmt::format("is '{}', where '{}' is needed", object.text("schema"), plan_schema));
}

TieZone read_tie(const JsonObject& object) {
  return {object.seconds("fastest_seconds"), object.parsed("fastest_grid", parse_grid), object.seconds("zone_seconds")};
}

Plan read_plan(const JsonObject& object) {
  check_schema(object);
  Plan plan;
  plan.machine = object.text("machine");
  plan.model = object.text("model");
  plan.ranks = positive(object, "ranks");
  plan.threads = read_threads(object);
  if (object.has("ranks_per_node")) plan.ranks_per_node = positive(object, "ranks_per_node");
  plan.grid = read_grid(object);
  plan.predicted_seconds = object.seconds_or_null("predicted_seconds");
  plan.lower_bound_seconds = object.seconds_or_null("lower_bound_seconds");
  if (object.has("uncertainty_seconds")) plan.uncertainty_seconds = object.seconds("uncertainty_seconds");
  if (object.has("tie")) plan.tie = read_tie(object.object("tie"));
  plan.proven_optimal = object.truth("proven_optimal");
  plan.partial = object.truth("partial");
  plan.pipeline_hash = read_hash(object);
  plan.root_bytes = object.integer("root_bytes", 0, any_size);
  plan.rank_bytes = object.integer("rank_bytes", 0, any_size);
  plan.notes = object.texts("notes");
  for (const JsonObject& image : object.objects("images")) plan.images.push_back(read_image(image));
  for (const JsonObject& step : object.objects("steps")) plan.steps.push_back(read_step(step, plan));
  for (const JsonObject& other : object.objects("alternatives")) plan.alternatives.push_back(read_alternative(other));
  if (object.has("node_curve")) plan.node_curve = read_curve(object.object("node_curve"));
  return plan;
}

/// A change of a copy would go unnoticed: what the top level repeats must agree with the segments.
void check_summary(const json& document, const std::vector<Plan>& segments) {
  const JsonObject top(document, "");
  const json expected = summary_to_json(segments);
  const bool has_curve_of_its_own = unplanned_curve(segments).has_value();
  for (const auto& [key, value] : expected.items()) {
    if (has_curve_of_its_own && key == "node_curve") continue;
    if (top.at(key) != value) {
      top.fault(key, "does not agree with the segments: change a plan in \"segments\" and here alike");
    }
  }
}

json parse(std::string_view text) {
  try {
    return json::parse(text);
  } catch (const json::exception& error) {  // its message has line and column, after a tag: "[json...] parse error at"
    const std::string_view message = error.what();
    const std::size_t tag = message.find("] ");
    throw ParameterError(
        fmt::format("the plan is not JSON: {}", tag == std::string_view::npos ? message : message.substr(tag + 2)));
  }
}

}  // namespace

std::vector<Plan> plans_from_json(std::string_view text) {
  const json document = parse(text);
  const JsonObject top(document, "");
  if (!top.has("segments")) return {read_plan(top)};
  check_schema(top);
  std::vector<Plan> segments;
  for (const JsonObject& segment : top.objects("segments")) segments.push_back(read_plan(segment));
  if (segments.empty()) top.fault("segments", "has no plan");
  check_summary(document, segments);
  return segments;
}

}  // namespace tilewright
