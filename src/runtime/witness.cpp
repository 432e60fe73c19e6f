#include "witness.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string>

#include "pmi.hpp"
#include "tilewright/runtime/communicator.hpp"

namespace tilewright {
namespace {

// Nobody hears it if Hydra's process on this node has gone too, or goes before it has passed on what was said. The
// witness then keeps open, for a while, what it inherited: the connection to mpiexec, which would end the run at once,
// without naming anybody, where it saw that close. So the other ranks get the time to tell (Lifeline).
constexpr const char* script = R"(
trap '' PIPE
read -r leave && exit 0
echo "tilewright: error: rank $1 on node $2 has gone: its process was ended in the middle of the run" >&2
sleep 0.2
{ read -r pid name state rest < "/proc/$3/stat"; } 2> /dev/null && [ "$state" != Z ] || sleep 5
)";

/// Hydra's process on this node; 0 if the wire does not tell.
pid_t pid_of_hydra() {
  const auto wire = PmiWire::find();
  ucred peer{};
  socklen_t size = sizeof(peer);
  if (!wire || ::getsockopt(wire->socket(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return 0;
  return peer.pid;
}

}  // namespace

Witness::Witness() {
  const char* rank = std::getenv("PMI_RANK");
  if (rank == nullptr || std::getenv("PMI_FD") == nullptr) return;
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) return;
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, ends[0], STDIN_FILENO);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  std::array<std::string, 7> words{
      "sh", "-c", script, "tilewright-witness", rank, node_name(), std::to_string(pid_of_hydra())};
  std::array<char*, 8> arguments{};
  for (std::size_t i = 0; i < words.size(); ++i) arguments[i] = words[i].data();
  pid_t process = 0;
  const int error = posix_spawn(&process, "/bin/sh", &files, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  ::close(ends[0]);
  if (error == 0)
    pipe_ = ends[1];
  else
    ::close(ends[1]);  // a rank can live without one
}

Witness::~Witness() {
  dismiss();
}

void Witness::dismiss() {
  if (pipe_ < 0) return;
  (void)!::send(pipe_, "leave\n", 6, MSG_NOSIGNAL);
  ::close(pipe_);
  pipe_ = -1;
}

}  // namespace tilewright
