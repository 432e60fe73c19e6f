#include "tilewright/core/standard_output.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "tilewright/core/error.hpp"

namespace tilewright {

void check_printed() {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return;
  throw RuntimeError(fmt::format("standard output cannot be written: {}", std::strerror(errno)));
}

}  // namespace tilewright
