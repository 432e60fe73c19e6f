#include "tilewright/core/temporary_folder.hpp"

#include <fmt/format.h>
#include <stdlib.h>  // mkdtemp is POSIX's

#include <cerrno>
#include <cstring>

#include "tilewright/core/error.hpp"

namespace tilewright {

namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder() {
  std::string name = (fs::temp_directory_path() / "tilewright-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) {
    throw RuntimeError(fmt::format("cannot make a temporary folder {}: {}", name, std::strerror(errno)));
  }
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace tilewright
