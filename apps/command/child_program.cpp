#include "child_program.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "tilewright/core/error.hpp"

namespace tilewright::command {

int run_child(const std::vector<std::string>& command, const std::function<void()>& prepare) {
  const pid_t child = fork();
  if (child < 0) throw RuntimeError(fmt::format("cannot start a process: {}", std::strerror(errno)));
  if (child == 0) {
    prepare();
    std::vector<char*> arguments;
    for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
    arguments.push_back(nullptr);
    execvp(arguments.front(), arguments.data());
    fmt::print(stderr, "tilewright: error: cannot start {}: {}\n", command.front(), std::strerror(errno));
    _exit(2);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) throw RuntimeError(fmt::format("waiting for {}: {}", command.front(), std::strerror(errno)));
  }
  constexpr int ended_by_signal = 128;  // as shells have it
  return WIFEXITED(status) ? WEXITSTATUS(status) : ended_by_signal + WTERMSIG(status);
}

}  // namespace tilewright::command
