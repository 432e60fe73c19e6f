#include "json_object.hpp"

#include <fmt/format.h>

#include <cmath>

namespace tilewright {

using nlohmann::json;

JsonObject::JsonObject(const json& value, std::string where) : value_(value), where_(std::move(where)) {
  if (value_.is_object()) return;
  throw ParameterError(fmt::format("the plan's {} is not a JSON object", where_.empty() ? "top level" : where_));
}

const json& JsonObject::at(const std::string& key) const {
  const auto found = value_.find(key);
  if (found == value_.end()) fault(key, "is missing");
  return *found;
}

std::string JsonObject::text(const std::string& key) const {
  if (!at(key).is_string()) fault(key, "is not a text");
  return at(key).get<std::string>();
}

std::string JsonObject::text_or_null(const std::string& key) const {
  return at(key).is_null() ? std::string() : text(key);
}

bool JsonObject::truth(const std::string& key) const {
  if (!at(key).is_boolean()) fault(key, "is neither true nor false");
  return at(key).get<bool>();
}

std::int64_t JsonObject::integer(const std::string& key, std::int64_t least, std::int64_t most) const {
  const json& number = at(key);
  const bool fits = number.is_number_integer() &&
                    (!number.is_number_unsigned() || std::in_range<std::int64_t>(number.get<std::uint64_t>()));
  if (!fits || number.get<std::int64_t>() < least || number.get<std::int64_t>() > most) {
    fault(key, fmt::format("is {}, where a whole number from {} to {} is needed", number.dump(), least, most));
  }
  return number.get<std::int64_t>();
}

double JsonObject::seconds(const std::string& key) const {
  const json& number = at(key);
  if (!number.is_number() || !std::isfinite(number.get<double>()) || number.get<double>() < 0) {
    fault(key, "is no time in seconds");
  }
  return number.get<double>();
}

std::optional<double> JsonObject::seconds_or_null(const std::string& key) const {
  return at(key).is_null() ? std::nullopt : std::optional(seconds(key));
}

std::vector<JsonObject> JsonObject::objects(const std::string& key) const {
  if (!at(key).is_array()) fault(key, "is not an array");
  std::vector<JsonObject> elements;
  for (const json& element : at(key)) {
    elements.emplace_back(element, fmt::format("{}[{}]", place(key), elements.size()));
  }
  return elements;
}

std::vector<std::string> JsonObject::texts(const std::string& key) const {
  if (!at(key).is_array()) fault(key, "is not an array");
  std::vector<std::string> elements;
  for (const json& element : at(key)) {
    if (!element.is_string()) fault(key, fmt::format("has an element {} that is not a text", elements.size()));
    elements.push_back(element.get<std::string>());
  }
  return elements;
}

void JsonObject::fault(const std::string& key, const std::string& what) const {
  throw ParameterError(fmt::format("the plan's {} {}", place(key), what));
}

}  // namespace tilewright
