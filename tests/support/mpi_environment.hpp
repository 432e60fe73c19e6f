// The ranks that an MPI test runs on.
#pragma once

#include "tilewright/runtime/communicator.hpp"

namespace tilewright::test {

/// Joined once for the whole test program, by its main().
[[nodiscard]] const Communicator& world();

}  // namespace tilewright::test
