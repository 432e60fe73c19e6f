// How the programs here read their own arguments.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>
#include <vector>

#include "tilewright/core/error.hpp"
#include "tilewright/core/standard_output.hpp"

namespace tilewright {

/// A check of an option's number, whose message says what is wanted. Not a number is refused, too.
inline CLI::Validator number_that(bool (*is_right)(double), const std::string& wanted) {
  return CLI::Validator(
      [=](std::string& text) {
        double number = 0;
        const bool is_number = CLI::detail::lexical_cast(text, number);
        return is_number && is_right(number) ? std::string() : "'" + text + "' is not a number " + wanted;
      },
      "NUMBER");
}

inline CLI::Validator above_zero() {
  return number_that([](double number) { return number > 0; }, "above 0");
}

inline CLI::Validator at_least_zero() {
  return number_that([](double number) { return number >= 0; }, "of at least 0");
}

inline void print_help(const std::string& text) {
  std::fputs(text.c_str(), stdout);
  check_printed();
}

/// Fills in the options of `app`. Returns false if help was asked for, which the root has then printed. Throws
/// ParameterError for anything that cannot be understood, and RuntimeError if help cannot be printed.
inline bool parse_arguments(CLI::App& app, std::vector<std::string> arguments, bool is_root) {
  std::reverse(arguments.begin(), arguments.end());  // CLI11 takes them from the back
  try {
    app.parse(std::move(arguments));
  } catch (const CLI::CallForHelp&) {
    if (is_root) print_help(app.help());
    return false;
  } catch (const CLI::CallForAllHelp&) {
    if (is_root) print_help(app.help("", CLI::AppFormatMode::All));
    return false;
  } catch (const CLI::ParseError& error) {
    throw ParameterError(std::string(error.what()) + "\n" + app.help());
  }
  return true;
}

}  // namespace tilewright
