// Dates as profiles and runs keep them: ISO 8601, in UTC, to the second.
#pragma once

#include <optional>
#include <string>

namespace tilewright {

/// "2026-11-27T16:58:09Z"
[[nodiscard]] std::string date_now();

/// Negative of a date that is yet to come; none of a text that is no date.
[[nodiscard]] std::optional<double> seconds_since(const std::string& date);

}  // namespace tilewright
