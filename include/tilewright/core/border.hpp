// What an operator reads where its neighbourhood leaves the image.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tilewright {

/// Example for the row a b c d, two pixels beyond each end:
/// constant k k|a b c d|k k - replicate a a|a b c d|d d - reflect b a|a b c d|d c
/// reflect101 c b|a b c d|c b - wrap c d|a b c d|a b
enum class Border : std::uint8_t { constant, replicate, reflect, reflect101, wrap };

inline constexpr Border all_borders[] = {Border::constant, Border::replicate, Border::reflect, Border::reflect101,
                                         Border::wrap};

[[nodiscard]] std::string_view to_string(Border border);
/// Throws ParameterError for an unknown name.
[[nodiscard]] Border parse_border(std::string_view text);

/// The index in [0, size) that stands for `index`, at any distance; none for a constant border outside the image.
/// Reflections repeat for images smaller than the neighbourhood. Requires size >= 1.
[[nodiscard]] std::optional<std::int64_t> border_index(std::int64_t index, std::int64_t size, Border border);

}  // namespace tilewright
