#include "tilewright/core/units.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

#include "tilewright/core/error.hpp"

namespace tilewright {
namespace {

constexpr std::array<std::string_view, 5> units{"B", "KiB", "MiB", "GiB", "TiB"};

std::string three_digits(double value) {
  const double size = std::abs(value);
  return fmt::format("{:.{}f}", value, size >= 100 ? 0 : size >= 10 ? 1 : 2);
}

}  // namespace

std::string format_seconds(double seconds) {
  const double size = std::abs(seconds);
  if (size == 0) return "0 s";
  if (size < 0.9995e-7)
    return three_digits(seconds * 1e9) + " ns";  // from there on microseconds have three digits, or two
  if (size < 0.9995e-3) return three_digits(seconds * 1e6) + " us";
  if (size < 0.9995) return three_digits(seconds * 1e3) + " ms";
  return three_digits(seconds) + " s";
}

std::string format_bytes(std::int64_t bytes) {
  if (bytes < 1024) return fmt::format("{} B", bytes);
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; value >= 1024 && unit + 1 < units.size(); ++unit) value /= 1024;
  return fmt::format("{} {}", three_digits(value), units[unit]);
}

std::int64_t parse_bytes(std::string_view text) {
  constexpr double largest = 9e18;  // that an integer of 64 bits can hold, about
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  if (unit.starts_with(' ')) unit.remove_prefix(1);
  if (unit.empty()) unit = units.front();
  for (const std::string_view known : units) {
    if (error == std::errc() && unit == known && value >= 1 && value < largest) return static_cast<std::int64_t>(value);
    value *= 1024;
  }
  throw ParameterError(fmt::format("'{}' is no size: write 512MiB, or 16GiB", text));
}

std::uint64_t hash_text(std::string_view text, std::uint64_t hash) {
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 1099511628211ULL;
  }
  return hash;
}

}  // namespace tilewright
