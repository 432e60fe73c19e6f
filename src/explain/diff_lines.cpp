#include "diff_lines.hpp"

#include <algorithm>

namespace tilewright {

std::vector<LinePair> common_lines(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  // length[i][j]: of the longest common sequence of a from i on and b from j on.
  std::vector<std::vector<std::size_t>> length(a.size() + 1, std::vector<std::size_t>(b.size() + 1, 0));
  for (std::size_t i = a.size(); i-- > 0;) {
    for (std::size_t j = b.size(); j-- > 0;) {
      length[i][j] = a[i] == b[j] ? length[i + 1][j + 1] + 1 : std::max(length[i + 1][j], length[i][j + 1]);
    }
  }
  std::vector<LinePair> common;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    if (a[i] == b[j]) {
      common.emplace_back(i++, j++);
    } else if (length[i + 1][j] >= length[i][j + 1]) {
      ++i;
    } else {
      ++j;
    }
  }
  return common;
}

std::string diff_lines(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  std::vector<LinePair> common = common_lines(a, b);
  common.emplace_back(a.size(), b.size());
  std::string text;
  std::size_t i = 0, j = 0;
  for (const auto& [next_i, next_j] : common) {
    for (; i < next_i; ++i) text += "  - " + a[i] + "\n";
    for (; j < next_j; ++j) text += "  + " + b[j] + "\n";
    i = next_i + 1;
    j = next_j + 1;
  }
  return text;
}

}  // namespace tilewright
