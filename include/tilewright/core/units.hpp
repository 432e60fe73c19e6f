// Times, sizes and names as people read them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tilewright {

/// "1.23 ms", "45.6 us", "12.0 s": three significant digits and a unit.
[[nodiscard]] std::string format_seconds(double seconds);
/// "512 B", "1.50 MiB".
[[nodiscard]] std::string format_bytes(std::int64_t bytes);
/// "512", "512 B", "1.5MiB": a positive size. Throws ParameterError otherwise.
[[nodiscard]] std::int64_t parse_bytes(std::string_view text);

/// FNV-1a, 64 bits: a fingerprint that is the same on every machine. Continue one by passing the former result.
inline constexpr std::uint64_t hash_seed = 14695981039346656037ULL;
[[nodiscard]] std::uint64_t hash_text(std::string_view text, std::uint64_t hash = hash_seed);

}  // namespace tilewright
