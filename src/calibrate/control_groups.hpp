// The control groups that this process lies in.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright {

struct ControlGroup {
  std::string controllers;      ///< that this hierarchy has, with commas; empty: all, it is version 2
  std::filesystem::path group;  ///< below the hierarchy's root

  [[nodiscard]] bool is_version_2() const { return controllers.empty(); }
  /// Of version 1.
  [[nodiscard]] bool has_controller(std::string_view name) const;
};

/// One a hierarchy. `root` is where the file systems of the kernel are, "/" but in tests.
[[nodiscard]] std::vector<ControlGroup> control_groups(const std::filesystem::path& root);

}  // namespace tilewright
