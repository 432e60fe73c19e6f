// Ends a run whose ranks never all start.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

namespace tilewright {

/// MPI's start waits for every rank, for ever if one has died before; this ends the run instead. The limit is generous,
/// for many ranks on slow nodes; TILEWRIGHT_START_LIMIT, in seconds, changes it.
class StartWatch {
 public:
  StartWatch();
  ~StartWatch();
  StartWatch(const StartWatch&) = delete;
  StartWatch& operator=(const StartWatch&) = delete;

 private:
  void watch();

  std::mutex mutex_;
  std::condition_variable changed_;
  bool started_ = false;
  std::thread thread_;
};

}  // namespace tilewright
