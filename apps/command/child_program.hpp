// Programs that the command starts, and where they leave their results.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace tilewright::command {

/// A folder that goes with this object.
class TemporaryFolder {
 public:
  /// Throws RuntimeError if it cannot be made.
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// Starts the program, with `prepare` called in it before, and waits until it ends. Returns its exit status; 1 if it
/// was killed, 2 if it cannot be started. Throws RuntimeError if there can be no process.
[[nodiscard]] int run_child(const std::vector<std::string>& command, const std::function<void()>& prepare);

}  // namespace tilewright::command
