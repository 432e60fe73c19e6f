#include "removal_after_death.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <string_view>

namespace tilewright {
namespace {

// The shell that this process waits for ends at once, and leaves the one that waits to the system: no zombies in long
// runs. Shells give processes in the background an empty input, hence the other descriptor.
constexpr const char* script = R"(exec 3<&0; { read -r nothing <&3 || rm -f -- "$1"; } &)";
/// From a process that has seen to its file itself.
constexpr std::string_view never_mind = "\n";

/// Nothing that this process has open may stay open after its death: others see by that that it has gone.
bool start(int input, std::string path) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
  std::array<std::string, 5> words{"sh", "-c", script, "tilewright-removal", std::move(path)};
  std::array<char*, 6> arguments{};
  for (std::size_t i = 0; i < words.size(); ++i) arguments[i] = words[i].data();
  pid_t process = 0;
  const int error = posix_spawn(&process, "/bin/sh", &files, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  if (error == 0) waitpid(process, nullptr, 0);
  return error == 0;
}

}  // namespace

RemovalAfterDeath::RemovalAfterDeath(const std::string& path) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) return;
  const bool started = start(ends[0], std::filesystem::absolute(path).string());
  ::close(ends[0]);
  channel_ = ends[1];
  if (started) return;
  ::close(channel_);
  channel_ = -1;
}

RemovalAfterDeath::~RemovalAfterDeath() {
  if (channel_ < 0) return;
  (void)::send(channel_, never_mind.data(), never_mind.size(), MSG_NOSIGNAL);
  ::close(channel_);
}

}  // namespace tilewright
