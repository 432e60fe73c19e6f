#include "abort_delay.hpp"

#include <cerrno>
#include <ctime>

namespace tilewright {
namespace {

constexpr std::time_t delay_s = 3;  ///< above what Lifeline waits before it names a rank whose process has ended

/// Only what a signal's handler may call.
void abort_later(int /*signal*/) {
  timespec left{delay_s, 0};
  while (::nanosleep(&left, &left) != 0 && errno == EINTR) {
  }
  (void)std::signal(SIGABRT, SIG_DFL);
  (void)std::raise(SIGABRT);
}

}  // namespace

AbortDelay::AbortDelay() {
  struct sigaction delayed {};
  delayed.sa_handler = abort_later;
  ::sigaction(SIGABRT, nullptr, &before_);
  if (before_.sa_handler == SIG_DFL) ::sigaction(SIGABRT, &delayed, nullptr);
}

AbortDelay::~AbortDelay() {
  struct sigaction now {};
  ::sigaction(SIGABRT, nullptr, &now);
  if (now.sa_handler == abort_later) ::sigaction(SIGABRT, &before_, nullptr);
}

}  // namespace tilewright
