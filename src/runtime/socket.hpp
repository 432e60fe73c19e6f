// TCP, as far as the lifelines need it.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace tilewright {

/// Owns a file descriptor.
class Socket {
 public:
  explicit Socket(int descriptor = -1) : descriptor_(descriptor) {}
  Socket(Socket&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  Socket& operator=(Socket&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~Socket() { close(); }

  [[nodiscard]] int descriptor() const { return descriptor_; }
  [[nodiscard]] bool is_open() const { return descriptor_ >= 0; }
  void close();

 private:
  int descriptor_;
};

/// Listens on every address of this host, on a port that the kernel chooses and that goes to `port`; not open if it
/// cannot be done.
[[nodiscard]] Socket listen_anywhere(int& port);

/// Takes a connection that is waiting; not open if none is.
[[nodiscard]] Socket accept_from(const Socket& listener);

/// Begins to connect; writable once it is decided. Not open if there is no way to that address at all.
[[nodiscard]] Socket begin_connecting(const std::string& address, int port);

/// True if the connection that was begun has been made.
[[nodiscard]] bool is_connected(const Socket& socket);

/// The kernels ask each other every second whether they are there; the connection breaks after seven seconds of
/// silence. Six questions have to get lost in a row, for the links may be crowded.
void keep_alive(const Socket& socket);

/// The addresses of this host's interfaces, those that other hosts can reach first.
[[nodiscard]] std::vector<std::string> addresses_of_this_host();

}  // namespace tilewright
