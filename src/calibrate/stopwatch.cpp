#include "stopwatch.hpp"

#include <chrono>

namespace tilewright {

double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace tilewright
