#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "profile_json.hpp"
#include "profile_sections.hpp"
#include "tilewright/core/error.hpp"

namespace tilewright {
namespace {

using nlohmann::json;

/// One object of the file and its name in messages.
class Object {
 public:
  Object(const json& value, std::string where) : value_(value), where_(std::move(where)) {
    if (!value_.is_object()) fault("is not an object");
  }

  [[nodiscard]] bool has(std::string_view key) const { return value_.contains(key); }
  [[nodiscard]] const json& at(std::string_view key) const {
    const auto found = value_.find(std::string(key));
    if (found == value_.end()) fault(fmt::format("lacks \"{}\"", key));
    return *found;
  }
  [[nodiscard]] std::string text(std::string_view key) const {
    if (!at(key).is_string()) fault(fmt::format("\"{}\" is not a text", key));
    return at(key).get<std::string>();
  }
  [[nodiscard]] double real(std::string_view key) const {
    if (!at(key).is_number()) fault(fmt::format("\"{}\" is not a number", key));
    return at(key).get<double>();
  }
  template <class Integer>
  [[nodiscard]] Integer integer(std::string_view key) const {
    const json& number = at(key);
    const bool too_large = number.is_number_unsigned() && !std::in_range<std::int64_t>(number.get<std::uint64_t>());
    if (!number.is_number_integer() || too_large || !std::in_range<Integer>(number.get<std::int64_t>())) {
      fault(fmt::format("\"{}\" is not a whole number, or too large", key));
    }
    return static_cast<Integer>(number.get<std::int64_t>());
  }
  [[nodiscard]] Estimate estimate() const {
    const Estimate time{real("seconds"), real("spread_s"), integer<std::int64_t>("samples")};
    if (time.seconds < 0 || time.spread_s < 0 || time.samples < 0) fault("has a negative time or count");
    return time;
  }
  /// The elements of an array of objects, each made by `make`.
  template <class Make>
  [[nodiscard]] auto list(const std::string& key, Make&& make) const {
    if (!at(key).is_array()) fault(fmt::format("\"{}\" is not an array", key));
    std::vector<decltype(make(*this))> made;
    for (const json& element : at(key)) made.push_back(make(Object(element, fmt::format("{}[{}]", key, made.size()))));
    return made;
  }
  [[noreturn]] void fault(const std::string& what) const { throw ParameterError(fmt::format("{} {}", where_, what)); }

  /// What `parse` makes of a text; its message gets this object's name.
  template <class Parse>
  [[nodiscard]] auto name(std::string_view key, Parse&& parse) const {
    try {
      return parse(text(key));
    } catch (const ParameterError& error) {
      fault(fmt::format("cannot be: {}", error.what()));
    }
  }

 private:
  const json& value_;
  std::string where_;
};

Fingerprint read_fingerprint(const Object& object) {
  Fingerprint f;
  for (const auto& [name, member] : text_members()) f.*member = object.text(name);
  for (const auto& [name, member] : integer_members()) f.*member = object.integer<int>(name);
  f.memory_per_node = object.integer<std::int64_t>("memory_per_node");
  const json& settings = object.at("settings");
  const Object checked(settings, "fingerprint.settings");
  for (const auto& [name, value] : settings.items()) f.settings[name] = checked.text(name);
  return f;
}

/// What older files lack has its default value.
PathCell read_path(const Object& object) {
  PathCell cell{object.name("path", parse_path), object.name("layout", parse_layout),
                object.integer<std::int64_t>("bytes"), object.estimate()};
  if (object.has("packing")) cell.packing = object.name("packing", parse_packing);
  if (object.has("block_bytes")) cell.block_bytes = object.integer<std::int64_t>("block_bytes");
  if (object.has("stride_bytes")) cell.stride_bytes = object.integer<std::int64_t>("stride_bytes");
  cell.within_node = object.has("within_node") && object.at("within_node") == true;
  return cell;
}

OperatorCell read_operator(const Object& object) {
  OperatorCell cell{object.text("key"), object.name("type", parse_pixel_type), object.real("parameter"),
                    object.real("tile_pixels"), object.estimate()};
  if (object.has("ranks")) cell.ranks = object.integer<int>("ranks");
  if (object.has("threads")) cell.threads = object.integer<int>("threads");
  return cell;
}

RawSample read_sample(const Object& object) {
  return {object.text("cell"), object.integer<int>("launch"), object.integer<std::int64_t>("order"),
          object.real("seconds"), object.has("disturbed") && object.at("disturbed") == true};
}

/// nlohmann's own message has the line, after a tag of no use to the reader: "[json.exception...] parse error at ...".
json parse(std::string_view text) {
  try {
    return json::parse(text);
  } catch (const json::exception& error) {
    const std::string_view message = error.what();
    const std::size_t tag = message.find("] ");
    throw ParameterError(std::string(tag == std::string_view::npos ? message : message.substr(tag + 2)));
  }
}

}  // namespace

Calibration read_profile_json(std::string_view text, const std::string& name) {
  const json document = parse(text);
  const Object top(document, "the file");
  if (top.text("schema") != profile_schema) {
    top.fault(fmt::format("has the schema '{}', where '{}' is needed", top.text("schema"), profile_schema));
  }
  return {MachineProfile(name, read_fingerprint(Object(top.at("fingerprint"), "fingerprint")),
                         top.list("path_cells", read_path), top.list("operator_cells", read_operator)),
          top.list("samples", read_sample)};
}

}  // namespace tilewright
