// Reading JSON strictly: every fault is a ParameterError that names the place.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tilewright/core/error.hpp"

namespace tilewright {

/// One object of a document, and where it stands: "steps[3]". Refers to the document, which must outlive it.
class JsonObject {
 public:
  /// Throws ParameterError if `value` is no object.
  JsonObject(const nlohmann::json& value, std::string where);

  [[nodiscard]] bool has(const std::string& key) const { return value_.contains(key); }
  [[nodiscard]] const nlohmann::json& at(const std::string& key) const;
  [[nodiscard]] std::string text(const std::string& key) const;
  /// Empty for null.
  [[nodiscard]] std::string text_or_null(const std::string& key) const;
  [[nodiscard]] bool truth(const std::string& key) const;
  /// A whole number in [least, most].
  [[nodiscard]] std::int64_t integer(const std::string& key, std::int64_t least, std::int64_t most) const;
  /// A finite time of 0 or more.
  [[nodiscard]] double seconds(const std::string& key) const;
  [[nodiscard]] std::optional<double> seconds_or_null(const std::string& key) const;
  [[nodiscard]] JsonObject object(const std::string& key) const { return {at(key), place(key)}; }
  [[nodiscard]] std::vector<JsonObject> objects(const std::string& key) const;
  [[nodiscard]] std::vector<std::string> texts(const std::string& key) const;

  /// What `parse` makes of the text; its ParameterError gets the place.
  template <class Parse>
  [[nodiscard]] auto parsed(const std::string& key, Parse&& parse) const {
    const std::string value = text(key);
    try {
      return parse(value);
    } catch (const ParameterError& error) {
      fault(key, error.what());
    }
  }
  /// None for null.
  template <class Parse>
  [[nodiscard]] auto parsed_or_null(const std::string& key, Parse&& parse) const {
    using Value = decltype(parse(std::string()));
    return at(key).is_null() ? std::optional<Value>() : std::optional<Value>(parsed(key, parse));
  }

  /// Throws ParameterError about the value of `key`.
  [[noreturn]] void fault(const std::string& key, const std::string& what) const;

 private:
  [[nodiscard]] std::string place(const std::string& key) const { return where_.empty() ? key : where_ + "." + key; }

  const nlohmann::json& value_;
  std::string where_;
};

}  // namespace tilewright
