#include "control_groups.hpp"

#include <fstream>
#include <sstream>

namespace tilewright {

bool ControlGroup::has_controller(std::string_view name) const {
  std::istringstream list(controllers);
  for (std::string one; std::getline(list, one, ',');) {
    if (one == name) return true;
  }
  return false;
}

std::vector<ControlGroup> control_groups(const std::filesystem::path& root) {
  std::vector<ControlGroup> groups;
  std::ifstream file(root / "proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {  // "4:memory:/a/b", or "0::/a/b" in version 2
    std::istringstream fields(line);
    std::string number, controllers, group;
    std::getline(fields, number, ':');
    std::getline(fields, controllers, ':');
    std::getline(fields, group);
    if (number == "0" || !controllers.empty()) groups.push_back({controllers, group});
  }
  return groups;
}

}  // namespace tilewright
