#include "tilewright/explain/page.hpp"

#include <fmt/format.h>

#include "page_style.hpp"

namespace tilewright::plots {

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::string section(std::string_view title, std::string_view about, std::string_view content) {
  return fmt::format("<section>\n<h2>{}</h2>\n<p class=\"about\">{}</p>\n{}</section>\n", title, about, content);
}

std::string page(std::string_view title, std::string_view body) {
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{}</title>\n"
      "<style>{}{}{}</style>\n</head>\n<body>\n{}<script>{}</script>\n</body>\n</html>\n",
      title, palette, page_style, plot_style, body, page_script);
}

}  // namespace tilewright::plots
