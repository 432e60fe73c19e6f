#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "profile_json.hpp"
#include "profile_sections.hpp"
#include "tilewright/core/error.hpp"

namespace tilewright {
namespace {

using Json = nlohmann::ordered_json;

Json fingerprint(const Fingerprint& f) {
  Json json;
  for (const auto& [name, member] : text_members()) json[std::string(name)] = f.*member;
  for (const auto& [name, member] : integer_members()) json[std::string(name)] = f.*member;
  json["memory_per_node"] = f.memory_per_node;
  json["settings"] = Json::object();
  for (const auto& [name, value] : f.settings) json["settings"][name] = value;
  return json;
}

void add_estimate(Json& json, const Estimate& time) {
  json["seconds"] = time.seconds;
  json["spread_s"] = time.spread_s;
  json["samples"] = time.samples;
}

Json to_json(const PathCell& cell) {
  Json json{{"path", to_string(cell.path)}, {"layout", to_string(cell.layout)}, {"bytes", cell.bytes}};
  add_estimate(json, cell.time);
  json["packing"] = to_string(cell.packing);
  json["block_bytes"] = cell.block_bytes;
  json["stride_bytes"] = cell.stride_bytes;
  json["within_node"] = cell.within_node;
  return json;
}

Json to_json(const OperatorCell& cell) {
  Json json{{"key", cell.key},
            {"type", to_string(cell.type)},
            {"parameter", cell.parameter},
            {"tile_pixels", cell.tile_pixels}};
  add_estimate(json, cell.time_per_unit);
  json["ranks"] = cell.ranks;
  json["threads"] = cell.threads;
  return json;
}

Json to_json(const RawSample& sample) {
  return {{"cell", sample.cell},
          {"launch", sample.launch},
          {"order", sample.order},
          {"seconds", sample.seconds},
          {"disturbed", sample.disturbed}};
}

/// An array with one element a line: a profile has thousands, and they are looked at with text tools.
template <class Elements>
std::string array_text(const char* name, const Elements& elements) {
  std::string text = fmt::format("  \"{}\": [", name);
  const char* separator = "\n    ";
  for (const auto& element : elements) {
    text += separator + to_json(element).dump();
    separator = ",\n    ";
  }
  return text + "\n  ]";
}

}  // namespace

std::string write_profile_json(const Calibration& calibration) {
  const MachineProfile& profile = calibration.profile;
  try {
    return fmt::format("{{\n  \"schema\": \"{}\",\n  \"machine\": {},\n  \"fingerprint\": {},\n{},\n{},\n{}\n}}\n",
                       profile_schema, Json(profile.name()).dump(), fingerprint(profile.fingerprint()).dump(),
                       array_text("path_cells", profile.paths()), array_text("operator_cells", profile.operators()),
                       array_text("samples", calibration.samples));
  } catch (const nlohmann::json::exception&) {
    throw ParameterError(
        fmt::format("machine '{}': a text of its profile is not UTF-8, which JSON cannot hold: write "
                    "CSV instead",
                    profile.name()));
  }
}

}  // namespace tilewright
