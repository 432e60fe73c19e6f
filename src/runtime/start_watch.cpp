#include "start_watch.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "tilewright/runtime/communicator.hpp"

namespace tilewright {
namespace {

std::chrono::seconds limit() {
  const char* text = std::getenv("TILEWRIGHT_START_LIMIT");
  const int seconds = text == nullptr ? 0 : std::atoi(text);
  return std::chrono::seconds(seconds > 0 ? seconds : 90);
}

}  // namespace

StartWatch::StartWatch() : thread_([this] { watch(); }) {}

StartWatch::~StartWatch() {
  {
    const std::lock_guard lock(mutex_);
    started_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void StartWatch::watch() {
  std::unique_lock lock(mutex_);
  if (changed_.wait_for(lock, limit(), [this] { return started_; })) return;
  fmt::print(stderr, "tilewright: error: MPI has waited {} s for the other ranks to start: one may have died\n",
             limit().count());
  abort_run(1);
}

}  // namespace tilewright
