#include "passes.hpp"

#include "stopwatch.hpp"

namespace tilewright {

void in_passes(const Communicator& communicator, const PassLimits& limits, const std::function<void(int)>& pass) {
  const Deadline deadline(limits.budget_s);
  for (int number = 0; number < limits.most; ++number) {
    const bool enough = number >= limits.fewest && deadline.remaining_s() <= 0;
    if (communicator.of_root(enough)) break;
    pass(number);
  }
}

}  // namespace tilewright
