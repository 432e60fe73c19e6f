// Tables for terminals.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tilewright {

inline constexpr std::size_t terminal_width = 120;

enum class Align { left, right };

struct TextColumn {
  std::string title;
  Align align = Align::left;
};

/// Rows of equally many cells, two spaces between the columns. The column number `wrapped` gets what the others leave
/// of the terminal's width, at least `least_width`, and goes on in further lines where its text is longer.
struct TextTable {
  std::vector<TextColumn> columns;
  std::size_t wrapped = 0;
  std::size_t least_width = 24;
  std::vector<std::vector<std::string>> rows;

  [[nodiscard]] std::string render() const;
};

/// Characters on the screen, for UTF-8 without combining or wide characters.
[[nodiscard]] std::size_t display_width(std::string_view text);

/// Lines of at most `width` characters, broken at spaces where there are any.
[[nodiscard]] std::vector<std::string> wrap(std::string_view text, std::size_t width);

}  // namespace tilewright
