#include "command_line.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tilewright/core/error.hpp"

namespace tilewright::command {
namespace {

bool is_list(const std::string& word) {
  return word.starts_with('[') && word.ends_with(']');
}

}  // namespace

CommandLine command_line(int argc, const char* const* argv) {
  CommandLine line{{argv + 1, argv + argc}, {}};
  const bool starts_program = !line.own.empty() && (line.own.front() == "plan" || line.own.front() == "verify");
  if (!starts_program) return line;
  const auto end = std::find(line.own.begin(), line.own.end(), "--");
  if (end != line.own.end()) line.program.assign(end + 1, line.own.end());
  line.own.erase(end, line.own.end());
  const auto list = std::find_if(line.own.begin(), line.own.end(), is_list);
  if (list == line.own.end()) return line;
  throw ParameterError(
      fmt::format("'{}': give the program and its arguments after --, where they are left as they are", *list));
}

}  // namespace tilewright::command
