// Makes the kernel count involuntary switches of this process, as a stranger on its core does.
#pragma once

#include <sched.h>

#include <atomic>
#include <thread>
#include <vector>

namespace tilewright::test {

/// While it lives, two threads of this process hand one core to each other all the time.
class SwitchingThreads {
 public:
  SwitchingThreads() {
    for (int i = 0; i < 2; ++i) threads_.emplace_back([this, core = ::sched_getcpu()] { pass_on(core); });
  }
  ~SwitchingThreads() {
    ends_ = true;
    for (std::thread& thread : threads_) thread.join();
  }
  SwitchingThreads(const SwitchingThreads&) = delete;
  SwitchingThreads& operator=(const SwitchingThreads&) = delete;

 private:
  void pass_on(int core) const {
    cpu_set_t mask;
    CPU_ZERO(&mask);
    CPU_SET(core, &mask);
    ::sched_setaffinity(0, sizeof(mask), &mask);
    while (!ends_) ::sched_yield();  // a thread that could go on counts as switched off
  }

  std::atomic<bool> ends_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace tilewright::test
