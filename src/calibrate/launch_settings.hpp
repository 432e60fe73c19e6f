// The settings of a fingerprint that tell how its launches were made.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tilewright/model/machine_profile.hpp"

namespace tilewright {

/// The variables that choose the network and its protocols.
inline constexpr std::string_view transport_prefix = "UCX_";
/// How many there are.
inline constexpr const char* launches_setting = "launches";
/// The seed of each launch, separated by commas, in their order: with it its order of measurements can be had again.
inline constexpr const char* seeds_setting = "seeds";
/// The message sizes that were given, separated by commas.
inline constexpr const char* sizes_setting = "sizes";
/// The seconds that an interrupted calibration has measured for.
inline constexpr const char* measured_setting = "measured_s";

/// The sizes that are measured: ascending, the empty message among them.
[[nodiscard]] std::string text_of_sizes(const std::vector<std::int64_t>& sizes);

/// One a launch, as far as they are known: profiles of old have the last one alone.
[[nodiscard]] std::vector<std::string> seeds_of(const Fingerprint& fingerprint);
/// Of the next launch, too: `before`, filled up where launches are missing there, and `seed`.
[[nodiscard]] std::string text_of_seeds(std::vector<std::string> before, int launch, std::uint64_t seed);

}  // namespace tilewright
