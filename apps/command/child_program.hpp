// Programs that the command starts.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace tilewright::command {

/// Starts the program, with `prepare` called in it before, and waits until it ends. Returns its exit status; 1 if it
/// was killed, 2 if it cannot be started. Throws RuntimeError if there can be no process.
[[nodiscard]] int run_child(const std::vector<std::string>& command, const std::function<void()>& prepare);

}  // namespace tilewright::command
