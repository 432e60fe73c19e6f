// Passes over cells, so that what disturbs the machine for a while is spread over all of them.
#pragma once

#include <functional>

#include "tilewright/runtime/communicator.hpp"

namespace tilewright {

struct PassLimits {
  int fewest = 1;  ///< whatever time they take
  int most = 1;
  double budget_s = 0;  ///< no further one begins when it is used up; the root's clock tells
};

/// `pass` gets the number of each, from 0 on. Collective.
void in_passes(const Communicator& communicator, const PassLimits& limits, const std::function<void(int)>& pass);

}  // namespace tilewright
