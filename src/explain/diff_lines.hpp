// The difference of two lists of lines.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace tilewright {

/// Positions in both lists.
using LinePair = std::pair<std::size_t, std::size_t>;

/// A longest sequence of equal lines that both have in this order.
[[nodiscard]] std::vector<LinePair> common_lines(const std::vector<std::string>& a, const std::vector<std::string>& b);

/// "- line" for what only `a` has, "+ line" for what only `b` has, in order; lines in both are left out.
[[nodiscard]] std::string diff_lines(const std::vector<std::string>& a, const std::vector<std::string>& b);

}  // namespace tilewright
