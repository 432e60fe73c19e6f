// A rank that is about to abort waits for the others to tell of the rank that brought it to that.
#pragma once

#include <csignal>

namespace tilewright {

/// While it lives, a process that aborts does so three seconds later. The transport under MPI may abort when a
/// connection breaks (UCX 1.13: "Assertion `comp->count > 0' failed"), that is, in a healthy rank because another has
/// gone; ended at once, it would be named for the one that has gone. Within that time whoever misses the other rank has
/// named it and has ended the run (Lifeline), which goes on in threads of its own. A program that handles SIGABRT
/// itself keeps its handler.
class AbortDelay {
 public:
  AbortDelay();
  ~AbortDelay();
  AbortDelay(const AbortDelay&) = delete;
  AbortDelay& operator=(const AbortDelay&) = delete;

 private:
  struct sigaction before_ {};
};

}  // namespace tilewright
