// Which MPI library this program runs with.
#pragma once

#include <string>

namespace tilewright {

/// What the library says about itself; its first line names product and version. May be asked without MPI being
/// started.
[[nodiscard]] std::string mpi_library();

}  // namespace tilewright
