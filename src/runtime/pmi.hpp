// The process manager's own wire, used for the end of a run.
#pragma once

#include <chrono>
#include <functional>
#include <optional>

namespace tilewright {

/// PMI version 1 on the socket that Hydra hands each rank in PMI_FD: lines of "cmd=...". MPICH's library uses it while
/// MPI starts and is silent afterwards.
class PmiWire {
 public:
  /// None if this process has no such socket.
  [[nodiscard]] static std::optional<PmiWire> find();

  /// Enters the process manager's barrier and calls `progress` until all ranks have; false if `limit` passed first.
  [[nodiscard]] bool barrier(const std::function<void()>& progress,
                             std::optional<std::chrono::milliseconds> limit) const;
  /// Takes leave: from now on the process manager expects this process to exit by itself.
  void finalize() const;
  /// Asks the process manager to stop all ranks and to end with `status`.
  void abort(int status) const;
  /// For poll().
  [[nodiscard]] int socket() const { return socket_; }

 private:
  explicit PmiWire(int socket) : socket_(socket) {}
  [[nodiscard]] bool wait_for(const char* reply, const std::function<void()>& progress,
                              std::optional<std::chrono::milliseconds> limit) const;
  int socket_;
};

}  // namespace tilewright
