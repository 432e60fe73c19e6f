// Makes the kernel count involuntary switches of this process, as a stranger on its core does.
#pragma once

#include <sched.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace tilewright::test {

/// While it lives, two threads of this process hand one core to each other, a thousand times or so in a millisecond of
/// two.
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
    constexpr std::chrono::milliseconds turn(1);
    while (!ends_) {
      const auto begin = std::chrono::steady_clock::now();
      while (std::chrono::steady_clock::now() < begin + turn)
        ::sched_yield();  // who could go on counts as switched off
      std::this_thread::sleep_for(turn);
    }
  }

  std::atomic<bool> ends_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace tilewright::test
