// The command line of a subcommand that starts a program.
#pragma once

#include <string>
#include <vector>

namespace tilewright::command {

/// Words as they were typed.
struct CommandLine {
  std::vector<std::string> own;      ///< for the subcommand
  std::vector<std::string> program;  ///< what follows "--": the program and its arguments, which are none of ours
};

/// Of main()'s arguments. Subcommands that start no program have all words for themselves. Throws ParameterError if a
/// word before "--" would not reach the program as it is: CLI11 takes [a,b] for a list.
[[nodiscard]] CommandLine command_line(int argc, const char* const* argv);

}  // namespace tilewright::command
