#include "tilewright/runtime/mpi_library.hpp"

#include <mpi.h>

#include <array>

namespace tilewright {

std::string mpi_library() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  if (MPI_Get_library_version(text.data(), &length) != MPI_SUCCESS) return "unknown";
  return {text.data(), static_cast<std::size_t>(length)};
}

}  // namespace tilewright
