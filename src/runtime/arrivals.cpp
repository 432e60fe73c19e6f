#include "arrivals.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <string>
#include <system_error>
#include <thread>

namespace tilewright {

Arrivals Arrivals::of_this_process() {
  Arrivals arrivals;
  std::error_code error;
  if (!std::filesystem::is_empty("/sys/class/infiniband", error) && !error) return arrivals;  // bypasses the kernel
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd", error)) {
    if (std::filesystem::read_symlink(entry.path(), error) != "anon_inode:[eventpoll]") continue;
    const std::string name = entry.path().filename().string();
    int number = -1;
    std::from_chars(name.data(), name.data() + name.size(), number);
    if (number >= 0) arrivals.queues_.push_back({number, POLLIN, 0});
  }
  return arrivals;
}

bool Arrivals::sleep(std::chrono::microseconds longest, std::chrono::microseconds interval) {
  const auto begin = Clock::now();
  if (queues_.empty()) {
    std::this_thread::sleep_for(longest);
    return false;
  }
  const auto too_soon = std::min<Clock::duration>(woken_ + interval - begin, longest);
  if (too_soon > Clock::duration::zero()) std::this_thread::sleep_for(too_soon);
  const auto left = longest - std::max(too_soon, Clock::duration::zero());
  const auto nanoseconds = std::chrono::duration_cast<std::chrono::nanoseconds>(left).count();
  const timespec timeout{nanoseconds / 1'000'000'000, nanoseconds % 1'000'000'000};
  if (ppoll(queues_.data(), queues_.size(), &timeout, nullptr) <= 0) return false;
  woken_ = Clock::now();
  return true;
}

}  // namespace tilewright
