#include "launch_settings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <sstream>

namespace tilewright {
namespace {

constexpr const char* unknown_seed = "unknown";
/// Of the last launch, in profiles of old.
constexpr const char* one_seed_setting = "seed";

int launches_of(const Fingerprint& fingerprint) {
  const auto found = fingerprint.settings.find(launches_setting);
  int launches = 1;
  if (found != fingerprint.settings.end()) {
    const std::string& text = found->second;
    std::from_chars(text.data(), text.data() + text.size(), launches);
  }
  return std::max(1, launches);
}

}  // namespace

std::string text_of_sizes(const std::vector<std::int64_t>& sizes) {
  std::set<std::int64_t> measured(sizes.begin(), sizes.end());
  measured.insert(0);
  return fmt::format("{}", fmt::join(measured, ","));
}

std::vector<std::string> seeds_of(const Fingerprint& fingerprint) {
  std::vector<std::string> seeds;
  if (const auto all = fingerprint.settings.find(seeds_setting); all != fingerprint.settings.end()) {
    std::istringstream text(all->second);
    for (std::string seed; std::getline(text, seed, ',');) seeds.push_back(seed);
    return seeds;
  }
  const auto last = fingerprint.settings.find(one_seed_setting);
  if (last == fingerprint.settings.end()) return seeds;
  seeds.assign(static_cast<std::size_t>(launches_of(fingerprint) - 1), unknown_seed);
  seeds.push_back(last->second);
  return seeds;
}

std::string text_of_seeds(std::vector<std::string> before, int launch, std::uint64_t seed) {
  before.resize(static_cast<std::size_t>(launch), unknown_seed);
  before.push_back(std::to_string(seed));
  return fmt::format("{}", fmt::join(before, ","));
}

}  // namespace tilewright
