#include "tilewright/core/date.hpp"

#include <fmt/chrono.h>

#include <ctime>
#include <iomanip>
#include <sstream>

namespace tilewright {

std::string date_now() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

std::optional<double> seconds_since(const std::string& date) {
  std::tm time{};
  std::istringstream text(date);
  text >> std::get_time(&time, "%Y-%m-%dT%H:%M:%S");
  if (text.fail() || text.get() != 'Z') return std::nullopt;
  return std::difftime(std::time(nullptr), ::timegm(&time));
}

}  // namespace tilewright
