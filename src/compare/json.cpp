#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "tilewright/compare/comparison.hpp"
#include "tilewright/core/error.hpp"

namespace tilewright {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view schema = "tilewright.compare/1";

/// JSON has no NaN.
Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json to_json(const Estimate& time) {
  return {{"seconds", time.seconds}, {"spread_s", time.spread_s}, {"samples", time.samples}};
}

Json to_json(const MeasuredMessage& message) {
  const PathCell& cell = message.cell;
  Json json{{"launch", message.launch},           {"path", to_string(cell.path)},
            {"layout", to_string(cell.layout)},   {"bytes", cell.bytes},
            {"packing", to_string(cell.packing)}, {"block_bytes", cell.block_bytes},
            {"stride_bytes", cell.stride_bytes}};
  json.update(to_json(cell.time));
  json["of_any_state"] = to_json(message.of_any_state);
  json["in_state"] = message.in_state;
  json["state_s"] = message.state_s;
  return json;
}

Json to_json(const MeasuredTransfer& transfer) {
  const TransferSpec& spec = transfer.spec;
  Json json{{"launch", transfer.launch},
            {"operation", to_string(spec.kind)},
            {"tree", nullptr},
            {"grid", to_string(spec.grid)},
            {"image", to_string(spec.image.extent)},
            {"type", to_string(spec.image.format.type)},
            {"channels", spec.image.format.channels},
            {"border", spec.exchanged.x},
            {"packing", to_string(spec.packing)}};
  if (spec.algorithm) json["tree"] = to_string(*spec.algorithm);
  json.update(to_json(transfer.time));
  return json;
}

Json to_json(const Errors& errors) {
  return {{"count", errors.count},
          {"median", number(errors.median)},
          {"median_interval", {number(errors.median_low), number(errors.median_high)}},
          {"p90", number(errors.p90)},
          {"worst", number(errors.worst)}};
}

Json to_json(const Ranking& ranking) {
  Json json{{"questions", ranking.questions},
            {"right", ranking.hits},
            {"kendall_tau", number(ranking.kendall_tau)},
            {"mean_regret", number(ranking.mean_regret)},
            {"worst_regret", number(ranking.worst_regret)}};
  if (ranking.undecided > 0) json["undecided"] = ranking.undecided;
  return json;
}

template <class Value>
Json to_json(const std::map<std::string, Value>& values) {
  Json json = Json::object();
  for (const auto& [name, value] : values) json[name] = to_json(value);
  return json;
}

Json to_json(const ModelComparison& model) {
  Json json{{"model", model.model}};
  if (!model.missing.empty()) {
    json["missing"] = model.missing;
    return json;
  }
  const ModelStatement& statement = model.statement;
  json["source"] = statement.source;
  json["message"] = statement.message;
  json["transfer"] = statement.transfer;
  if (!statement.derivation.empty()) json["derivation"] = statement.derivation;
  json["parameters"] = Json::array();
  for (const ModelParameter& parameter : statement.parameters) {
    json["parameters"].push_back({{"symbol", parameter.symbol},
                                  {"value", number(parameter.value)},
                                  {"unit", parameter.unit},
                                  {"measured_as", parameter.measured_as}});
  }
  json["message_errors"] = to_json(model.messages);
  json["message_errors_of_any_state"] = to_json(model.messages_of_any_state);
  json["message_errors_without_drift"] = to_json(model.messages_without_drift);
  json["transfer_errors"] = to_json(model.transfers);
  json["rankings"] = to_json(model.rankings);
  json["predicted_message_seconds"] = model.message_seconds;
  json["predicted_transfer_seconds"] = model.transfer_seconds;
  return json;
}

Estimate estimate_of(const Json& json) {
  return {json.at("seconds"), json.at("spread_s"), json.at("samples")};
}

/// Older ones do not tell states.
MeasuredMessage message_of(const Json& json) {
  const Estimate time = estimate_of(json);
  return {json.at("launch"),
          {parse_path(json.at("path").get<std::string>()), parse_layout(json.at("layout").get<std::string>()),
           json.at("bytes"), time, parse_packing(json.at("packing").get<std::string>()), json.at("block_bytes"),
           json.at("stride_bytes")},
          json.contains("of_any_state") ? estimate_of(json.at("of_any_state")) : time,
          json.value("in_state", time.samples),
          json.value("state_s", 0.0)};
}

MeasuredTransfer transfer_of(const Json& json) {
  TransferSpec spec;
  spec.kind = parse_transfer_kind(json.at("operation").get<std::string>());
  if (!json.at("tree").is_null()) spec.algorithm = parse_algorithm(json.at("tree").get<std::string>());
  spec.grid = parse_grid(json.at("grid").get<std::string>());
  spec.image = {parse_extent(json.at("image").get<std::string>()),
                {parse_pixel_type(json.at("type").get<std::string>()), json.at("channels")}};
  const std::int64_t border = json.at("border");
  spec.storage = spec.exchanged = {border, border};
  spec.packing = parse_packing(json.at("packing").get<std::string>());
  return {json.at("launch"), spec, estimate_of(json)};
}

/// What `function` makes of a comparison.
auto read(std::string_view text, const auto& function) {
  try {
    const Json json = Json::parse(text);
    if (json.at("schema") != schema) throw ParameterError(fmt::format("this is no comparison ({})", schema));
    return function(json);
  } catch (const nlohmann::json::exception& error) {
    throw ParameterError(fmt::format("this is no comparison that tilewright has written: {}", error.what()));
  }
}

}  // namespace

std::string to_json(const Comparison& comparison) {
  Json json{{"schema", schema}, {"machine", comparison.machine}};
  json["launches"] = comparison.measurements.launches();
  json["remarks"] = comparison.remarks;
  json["models"] = Json::array();
  for (const ModelComparison& model : comparison.models) json["models"].push_back(to_json(model));
  json["messages"] = Json::array();
  for (const MeasuredMessage& message : comparison.measurements.messages) json["messages"].push_back(to_json(message));
  json["known_messages"] = Json::array();
  for (const MeasuredMessage& message : comparison.measurements.known) {
    json["known_messages"].push_back(to_json(message));
  }
  json["transfers"] = Json::array();
  for (const MeasuredTransfer& transfer : comparison.measurements.transfers) {
    json["transfers"].push_back(to_json(transfer));
  }
  // Names in older databases need not be UTF-8, but JSON must be: bytes that are none become U+FFFD.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string machine_of(std::string_view text) {
  return read(text, [](const Json& json) { return json.at("machine").get<std::string>(); });
}

Measurements measurements_from(std::string_view text) {
  return read(text, [](const Json& json) {
    Measurements measurements;
    for (const Json& message : json.at("messages")) measurements.messages.push_back(message_of(message));
    if (json.contains("known_messages")) {  // older ones have none
      for (const Json& message : json.at("known_messages")) measurements.known.push_back(message_of(message));
    }
    for (const Json& transfer : json.at("transfers")) measurements.transfers.push_back(transfer_of(transfer));
    return measurements;
  });
}

}  // namespace tilewright
