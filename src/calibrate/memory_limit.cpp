#include "memory_limit.hpp"

#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "control_groups.hpp"

namespace tilewright {
namespace {

/// The limit that a file states; none if it is absent or says "max".
std::int64_t smaller_limit(std::int64_t bytes, const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::int64_t limit = 0;
  return stream >> limit && limit > 0 ? std::min(bytes, limit) : bytes;
}

/// A group is limited by its own limit and by those of all groups that it lies in.
std::int64_t limit_of_group(std::int64_t bytes, const std::filesystem::path& hierarchy, std::filesystem::path group,
                            const char* file) {
  while (true) {
    bytes = smaller_limit(bytes, hierarchy / group.relative_path() / file);
    if (!group.has_relative_path()) return bytes;
    group = group.parent_path();
  }
}

}  // namespace

std::int64_t usable_memory(std::int64_t physical_bytes, const std::filesystem::path& root) {
  std::int64_t bytes = physical_bytes;
  for (const ControlGroup& known : control_groups(root)) {
    if (known.is_version_2()) {
      bytes = limit_of_group(bytes, root / "sys/fs/cgroup", known.group, "memory.max");
    } else if (known.has_controller("memory")) {
      bytes = limit_of_group(bytes, root / "sys/fs/cgroup/memory", known.group, "memory.limit_in_bytes");
    }
  }
  return bytes;
}

std::int64_t physical_memory() {
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page_bytes = sysconf(_SC_PAGESIZE);
  return pages > 0 && page_bytes > 0 ? static_cast<std::int64_t>(pages) * page_bytes : 0;
}

}  // namespace tilewright
