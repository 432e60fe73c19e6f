#include "tilewright/model/refresh.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "tilewright/core/error.hpp"

namespace tilewright {
namespace {

constexpr const char* factor_setting = "computing_factor";
constexpr const char* messages_setting = "message_factors";
constexpr const char* sharing_setting = "sharing_factors";
constexpr const char* exchanges_setting = "exchange_factors";
constexpr const char* date_setting = "refreshed";

/// None if they were not measured.
std::optional<MessageFactors> messages_of(const Fingerprint& fingerprint, const char* setting) {
  const auto text = fingerprint.settings.find(setting);
  if (text == fingerprint.settings.end()) return std::nullopt;
  if (const auto factors = parse_message_factors(text->second)) return factors;
  throw ParameterError(
      fmt::format("machine profile: the setting {} is '{}', and must be ten numbers above 0", setting, text->second));
}

SharingFactors sharing_of(const Fingerprint& fingerprint) {
  const auto text = fingerprint.settings.find(sharing_setting);
  if (text == fingerprint.settings.end()) return {};  // none were measured
  if (const auto factors = parse_sharing_factors(text->second)) return *factors;
  throw ParameterError(
      fmt::format("machine profile: the setting {} is '{}', and must be rows as in 'shared/cc 1 1 1 1 1'",
                  sharing_setting, text->second));
}

}  // namespace

Refresh refresh_of(const Fingerprint& fingerprint) {
  const auto date = fingerprint.settings.find(date_setting);
  const auto factor = fingerprint.settings.find(factor_setting);
  if (date == fingerprint.settings.end() || factor == fingerprint.settings.end()) return {};
  const std::string& text = factor->second;
  Refresh refresh{0, date->second, messages_of(fingerprint, messages_setting).value_or(MessageFactors()),
                  sharing_of(fingerprint), messages_of(fingerprint, exchanges_setting)};
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
  std::map<std::string, std::string> settings{{factor_setting, fmt::format("{}", refresh.computing_factor)},
                                              {messages_setting, to_string(refresh.messages)},
                                              {sharing_setting, to_string(refresh.sharing)},
                                              {date_setting, refresh.date}};
  if (refresh.exchanges) settings[exchanges_setting] = to_string(*refresh.exchanges);
  return settings;
}

double Refresh::factor_of(const PathCell& cell) const {
  const MessageFactors& factors = is_of_exchange(cell.path) && exchanges ? *exchanges : messages;
  return factors.of(cell) * sharing.of(cell);
}

}  // namespace tilewright
