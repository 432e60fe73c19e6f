#include "tilewright/model/refresh.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "tilewright/core/error.hpp"

namespace tilewright {
namespace {

constexpr const char* factor_setting = "computing_factor";
constexpr const char* date_setting = "refreshed";

}  // namespace

Refresh refresh_of(const Fingerprint& fingerprint) {
  const auto date = fingerprint.settings.find(date_setting);
  const auto factor = fingerprint.settings.find(factor_setting);
  if (date == fingerprint.settings.end() || factor == fingerprint.settings.end()) return {};
  const std::string& text = factor->second;
  Refresh refresh{0, date->second};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), refresh.computing_factor);
  const bool is_whole = error == std::errc() && end == text.data() + text.size();
  if (!is_whole || !std::isfinite(refresh.computing_factor) || refresh.computing_factor <= 0) {
    throw ParameterError(
        fmt::format("machine profile: the setting {} is '{}', and must be a number above 0", factor_setting, text));
  }
  return refresh;
}

std::map<std::string, std::string> settings_of(const Refresh& refresh) {
  if (refresh.date.empty()) return {};
  return {{factor_setting, fmt::format("{}", refresh.computing_factor)}, {date_setting, refresh.date}};
}

}  // namespace tilewright
