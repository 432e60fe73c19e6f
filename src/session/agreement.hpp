// What the root decides and all ranks follow, failures included.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "tilewright/runtime/communicator.hpp"

namespace tilewright {

inline std::string nothing_to_decide() {
  return {};
}

/// Comes first in whatever the program calls on all ranks; `call` says what this rank does, as in "reads an image".
/// Where the root does something else, both would wait for ever for what the other will not do: a rank that finds that
/// out ends the run with a message. Returns what `decide` has returned on the root, as root_decides() does. Collective.
std::string begin_call(const Communicator& communicator, std::string_view call,
                       const std::function<std::string()>& decide = nothing_to_decide);

/// Runs `decide` on the root and returns its text on every rank; if it throws, every rank throws the same. Collective.
[[nodiscard]] std::string root_decides(const Communicator& communicator, const std::function<std::string()>& decide);

/// Runs `act` on every rank; if it throws on some, every rank throws what the first of them did. Collective.
void all_succeed(const Communicator& communicator, const std::function<void()>& act);

}  // namespace tilewright
