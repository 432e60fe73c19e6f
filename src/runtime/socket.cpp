#include "socket.hpp"

#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>

namespace tilewright {
namespace {

constexpr int kind = SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK;

void set_option(const Socket& socket, int level, int option, int value) {
  (void)::setsockopt(socket.descriptor(), level, option, &value, sizeof(value));
}

bool bind_and_listen(const Socket& socket, const sockaddr* address, socklen_t size) {
  return socket.is_open() && ::bind(socket.descriptor(), address, size) == 0 &&
         ::listen(socket.descriptor(), SOMAXCONN) == 0;
}

bool is_link_local(const sockaddr& address) {
  if (address.sa_family != AF_INET6) return false;
  return IN6_IS_ADDR_LINKLOCAL(&reinterpret_cast<const sockaddr_in6&>(address).sin6_addr);
}

bool has_internet_address(const ifaddrs& interface) {
  if (interface.ifa_addr == nullptr || (interface.ifa_flags & IFF_UP) == 0) return false;
  const auto family = interface.ifa_addr->sa_family;
  return (family == AF_INET || family == AF_INET6) && !is_link_local(*interface.ifa_addr);
}

}  // namespace

void Socket::close() {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
}

Socket listen_anywhere(int& port) {
  Socket socket(::socket(AF_INET6, kind, 0));
  sockaddr_in6 any6{};
  any6.sin6_family = AF_INET6;
  if (socket.is_open()) set_option(socket, IPPROTO_IPV6, IPV6_V6ONLY, 0);  // IPv4 too
  if (!bind_and_listen(socket, reinterpret_cast<const sockaddr*>(&any6), sizeof(any6))) {
    sockaddr_in any4{};
    any4.sin_family = AF_INET;
    socket = Socket(::socket(AF_INET, kind, 0));
    if (!bind_and_listen(socket, reinterpret_cast<const sockaddr*>(&any4), sizeof(any4))) return Socket();
  }
  sockaddr_storage bound{};
  socklen_t size = sizeof(bound);
  if (::getsockname(socket.descriptor(), reinterpret_cast<sockaddr*>(&bound), &size) != 0) return Socket();
  port = ntohs(bound.ss_family == AF_INET6 ? reinterpret_cast<const sockaddr_in6&>(bound).sin6_port
                                           : reinterpret_cast<const sockaddr_in&>(bound).sin_port);
  return socket;
}

Socket accept_from(const Socket& listener) {
  return Socket(::accept4(listener.descriptor(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
}

Socket begin_connecting(const std::string& address, int port) {
  addrinfo hints{};
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (::getaddrinfo(address.c_str(), std::to_string(port).c_str(), &hints, &found) != 0) return Socket();
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(found, &::freeaddrinfo);
  Socket socket(::socket(found->ai_family, kind, 0));
  if (!socket.is_open()) return socket;
  const bool begun = ::connect(socket.descriptor(), found->ai_addr, found->ai_addrlen) == 0 || errno == EINPROGRESS;
  return begun ? std::move(socket) : Socket();
}

bool is_connected(const Socket& socket) {
  int error = 0;
  socklen_t size = sizeof(error);
  return ::getsockopt(socket.descriptor(), SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0;
}

void keep_alive(const Socket& socket) {
  constexpr int interactive = 6;  // TC_PRIO_INTERACTIVE: past the bulk of the data, where the queue knows priorities
  set_option(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
  set_option(socket, SOL_SOCKET, SO_PRIORITY, interactive);
  set_option(socket, IPPROTO_TCP, TCP_KEEPIDLE, 1);
  set_option(socket, IPPROTO_TCP, TCP_KEEPINTVL, 1);
  set_option(socket, IPPROTO_TCP, TCP_KEEPCNT, 6);
  set_option(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, 7000);
}

std::vector<std::string> addresses_of_this_host() {
  ifaddrs* found = nullptr;
  if (::getifaddrs(&found) != 0) return {};
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owner(found, &::freeifaddrs);
  std::vector<std::string> outward, inward;
  for (const ifaddrs* at = found; at != nullptr; at = at->ifa_next) {
    if (!has_internet_address(*at)) continue;
    std::array<char, NI_MAXHOST> text{};
    const auto size =
        static_cast<socklen_t>(at->ifa_addr->sa_family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6));
    if (::getnameinfo(at->ifa_addr, size, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST) != 0) continue;
    ((at->ifa_flags & IFF_LOOPBACK) != 0 ? inward : outward).emplace_back(text.data());
  }
  outward.insert(outward.end(), inward.begin(), inward.end());
  return outward;
}

}  // namespace tilewright
