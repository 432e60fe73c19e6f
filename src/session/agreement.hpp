// What the root decides and all ranks follow, failures included.
#pragma once

#include <functional>
#include <string>

#include "tilewright/runtime/communicator.hpp"

namespace tilewright {

/// Runs `decide` on the root and returns its text on every rank; if it throws, every rank throws the same. Collective.
[[nodiscard]] std::string root_decides(const Communicator& communicator, const std::function<std::string()>& decide);

/// Runs `act` on every rank; if it throws on some, every rank throws what the first of them did. Collective.
void all_succeed(const Communicator& communicator, const std::function<void()>& act);

}  // namespace tilewright
