// Pages that need no other file: their frame, with the look of all and the script that sorts tables.
#pragma once

#include <string>
#include <string_view>

namespace tilewright::plots {

/// Text as HTML shows it, in an attribute too.
[[nodiscard]] std::string escaped(std::string_view text);

/// All three are HTML.
[[nodiscard]] std::string section(std::string_view title, std::string_view about, std::string_view content);
[[nodiscard]] std::string page(std::string_view title, std::string_view body);

}  // namespace tilewright::plots
