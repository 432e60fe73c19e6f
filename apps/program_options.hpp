// How the programs here read their own arguments.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>
#include <vector>

#include "tilewright/core/error.hpp"

namespace tilewright {

/// Fills in the options of `app`. Returns false if help was asked for, which the root has then printed. Throws
/// ParameterError for anything that cannot be understood.
inline bool parse_arguments(CLI::App& app, std::vector<std::string> arguments, bool is_root) {
  std::reverse(arguments.begin(), arguments.end());  // CLI11 takes them from the back
  try {
    app.parse(std::move(arguments));
  } catch (const CLI::CallForHelp&) {
    if (is_root) std::fputs(app.help().c_str(), stdout);
    return false;
  } catch (const CLI::CallForAllHelp&) {
    if (is_root) std::fputs(app.help("", CLI::AppFormatMode::All).c_str(), stdout);
    return false;
  } catch (const CLI::ParseError& error) {
    throw ParameterError(std::string(error.what()) + "\n" + app.help());
  }
  return true;
}

}  // namespace tilewright
