// Removes a file if this process is killed.
#pragma once

#include <string>

namespace tilewright {

/// A small process that outlives this one, in a session of its own, for launchers kill whole process groups. When its
/// channel closes without a word, however this process has ended, it removes the file; while the object lives, nothing
/// happens, and its end is a word. The names of such files are not used twice, so what has been renamed or removed
/// meanwhile is left alone.
/// Who cannot have it (no more processes, say) does without.
class RemovalAfterDeath {
 public:
  explicit RemovalAfterDeath(const std::string& path);
  ~RemovalAfterDeath();
  RemovalAfterDeath(const RemovalAfterDeath&) = delete;
  RemovalAfterDeath& operator=(const RemovalAfterDeath&) = delete;

 private:
  int channel_ = -1;
};

}  // namespace tilewright
