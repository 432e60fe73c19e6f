#include "efforts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tilewright/core/error.hpp"

namespace tilewright {
namespace {

constexpr std::array<EffortTraits, 3> efforts{{
    {.effort = Effort::quick,
     .name = "quick",
     .budget_s = 13,
     .goes = 1,
     .passes = 11,
     .fewest_passes = 2,
     .fewest_refinements = 0,
     .fewest_overlapped_passes = 1,
     .most_exchange_sizes = 6,
     .operator_samples = 9,
     .operator_rounds = 1,
     .sides = {64, 256, 1024},
     .block_message_sizes = {16384},
     .block_message_sizes_where_rationed = {16384},
     .block_growth = 16,
     .block_growth_where_rationed = 16,
     .overlapped_sizes = {4096, 262144},
     .collected_sizes = {32768, 131072}},
    {.effort = Effort::standard,
     .name = "standard",
     .budget_s = 170,
     .goes = 4,
     .passes = 31,
     .fewest_passes = 3,
     .fewest_refinements = 2,
     .fewest_overlapped_passes = 3,
     .most_exchange_sizes = 0,
     .operator_samples = 24,
     .operator_rounds = 4,
     .sides = {64, 128, 256, 512, 1024, 2048},
     .block_message_sizes = {16384, 262144},
     .block_message_sizes_where_rationed = {16384, 131072},
     .block_growth = 4,
     .block_growth_where_rationed = 16,
     .overlapped_sizes = {4096, 32768, 262144},
     .collected_sizes = {131072, 524288}},
    {.effort = Effort::thorough,
     .name = "thorough",
     .budget_s = 4 * 3600,
     .goes = 1,
     .passes = 101,
     .fewest_passes = 4,
     .fewest_refinements = 2,
     .fewest_overlapped_passes = 4,
     .most_exchange_sizes = 0,
     .operator_samples = 50,
     .operator_rounds = 5,
     .sides = {32, 64, 128, 256, 512, 1024, 2048},
     .block_message_sizes = {16384, 262144},
     .block_message_sizes_where_rationed = {16384, 131072},
     .block_growth = 4,
     .block_growth_where_rationed = 4,
     .overlapped_sizes = {4096, 32768, 262144},
     .collected_sizes = {131072, 524288}},
}};

}  // namespace

const EffortTraits& traits_of(Effort effort) {
  for (const EffortTraits& traits : efforts) {
    if (traits.effort == effort) return traits;
  }
  throw InternalError("calibrate: effort outside its enumeration");
}

Effort parse_effort(std::string_view text) {
  std::vector<std::string_view> known;
  for (const EffortTraits& traits : efforts) {
    if (traits.name == text) return traits.effort;
    known.push_back(traits.name);
  }
  throw ParameterError(fmt::format("'{}' is no effort that is known: give one of {}", text, fmt::join(known, " ")));
}

std::string_view to_string(Effort effort) {
  return traits_of(effort).name;
}

double budget_seconds(Effort effort) {
  return traits_of(effort).budget_s;
}

}  // namespace tilewright
