#include "text_table.hpp"

#include <algorithm>
#include <numeric>

namespace tilewright {
namespace {

constexpr std::size_t gap = 2;

bool continues_character(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

/// Bytes of the first `characters` characters.
std::size_t prefix_bytes(std::string_view text, std::size_t characters) {
  std::size_t position = 0;
  while (position < text.size() && characters > 0) {
    ++position;
    while (position < text.size() && continues_character(text[position])) ++position;
    --characters;
  }
  return position;
}

std::string aligned(const std::string& cell, std::size_t width, Align align) {
  const std::size_t used = display_width(cell);
  const std::string space(width > used ? width - used : 0, ' ');
  return align == Align::left ? cell + space : space + cell;
}

std::string without_trailing_spaces(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

std::vector<std::size_t> column_widths(const TextTable& table) {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    std::size_t width = display_width(table.columns[c].title);
    for (const auto& row : table.rows) width = std::max(width, display_width(row[c]));
    widths.push_back(width);
  }
  const std::size_t all = std::accumulate(widths.begin(), widths.end(), gap * (widths.size() - 1));
  std::size_t& wrapped = widths[table.wrapped];
  const std::size_t others = all - wrapped;
  const std::size_t left = terminal_width > others ? terminal_width - others : 0;
  wrapped = std::min(wrapped, std::max(left, table.least_width));
  return widths;
}

}  // namespace

std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !continues_character(c); }));
}

std::vector<std::string> wrap(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  while (display_width(text) > width) {
    const std::size_t limit = prefix_bytes(text, width);
    const std::size_t space = text.rfind(' ', limit);
    const bool breakable = space != std::string_view::npos && space > 0;
    const std::size_t end = breakable ? space : limit;
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(breakable ? end + 1 : end);
  }
  if (!text.empty() || lines.empty()) lines.emplace_back(text);
  return lines;
}

std::string TextTable::render() const {
  const std::vector<std::size_t> widths = column_widths(*this);
  std::string text;
  const auto add_line = [&](const std::vector<std::string>& cells) {
    std::string line;
    for (std::size_t c = 0; c < cells.size(); ++c) {
      line += aligned(cells[c], widths[c], columns[c].align) + std::string(gap, ' ');
    }
    text += without_trailing_spaces(std::move(line)) + "\n";
  };
  std::vector<std::string> titles;
  for (const TextColumn& column : columns) titles.push_back(column.title);
  add_line(titles);
  for (std::vector<std::string> row : rows) {
    const std::vector<std::string> lines = wrap(row[wrapped], widths[wrapped]);
    row[wrapped] = lines.front();
    add_line(row);
    for (std::size_t i = 1; i < lines.size(); ++i) {
      std::vector<std::string> continued(columns.size());
      continued[wrapped] = lines[i];
      add_line(continued);
    }
  }
  return text;
}

}  // namespace tilewright
