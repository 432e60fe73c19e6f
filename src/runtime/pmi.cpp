#include "pmi.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>

namespace tilewright {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int poll_ms = 1;  // between two turns of progress

bool write_line(int socket, const std::string& line) {
  std::size_t written = 0;
  while (written < line.size()) {
    // After finalize() the process manager closes its end; that must not end this process by a signal.
    const ssize_t n = ::send(socket, line.data() + written, line.size() - written, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    written += static_cast<std::size_t>(n);
  }
  return true;
}

}  // namespace

std::optional<PmiWire> PmiWire::find() {
  const char* text = std::getenv("PMI_FD");
  if (text == nullptr) return std::nullopt;
  char* end = nullptr;
  const long socket = std::strtol(text, &end, 10);
  if (end == text || *end != '\0' || socket < 0) return std::nullopt;
  return PmiWire(static_cast<int>(socket));
}

bool PmiWire::wait_for(const char* reply, const std::function<void()>& progress,
                       std::optional<std::chrono::milliseconds> limit) const {
  const auto begin = Clock::now();
  std::string received;
  while (received.find(reply) == std::string::npos || received.back() != '\n') {
    progress();
    pollfd wanted{socket_, POLLIN, 0};
    const int ready = ::poll(&wanted, 1, poll_ms);
    if (ready > 0) {
      char buffer[256];
      const ssize_t n = ::read(socket_, buffer, sizeof(buffer));
      if (n > 0)
        received.append(buffer, static_cast<std::size_t>(n));
      else if (n == 0 || errno != EINTR)
        return false;  // the process manager is gone
    }
    if (limit && Clock::now() - begin > *limit) return false;
  }
  return true;
}

bool PmiWire::barrier(const std::function<void()>& progress, std::optional<std::chrono::milliseconds> limit) const {
  return write_line(socket_, "cmd=barrier_in\n") && wait_for("cmd=barrier_out", progress, limit);
}

void PmiWire::finalize() const {
  if (!write_line(socket_, "cmd=finalize\n")) return;
  (void)wait_for(
      "cmd=finalize_ack", [] {}, std::chrono::milliseconds(5000));
}

void PmiWire::abort(int status) const {
  (void)write_line(socket_, "cmd=abort exitcode=" + std::to_string(status) + "\n");
}

}  // namespace tilewright
