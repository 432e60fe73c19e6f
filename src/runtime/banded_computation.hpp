// What an operator makes, stored band by band.
#pragma once

#include <span>
#include <vector>

#include "tilewright/pipeline/operator.hpp"

namespace tilewright {

/// One of an operator's results, and where it goes.
struct BandedResult {
  std::size_t result = 0;
  const Sink* sink = nullptr;
};

struct BandedComputation {
  const Operator* op = nullptr;
  std::vector<ConstView> inputs;    ///< whole images, their borders filled in
  std::vector<ImageShape> results;  ///< of all that the operator makes
  std::vector<BandedResult> stores;
  int bands = 1;
  int threads = 1;
};

/// Seconds in which a thread was at work, added up.
struct BandedSeconds {
  double computing = 0;
  std::vector<double> storing;  ///< by store
};

/// Computes the image in bands of rows from top to bottom, and stores each while it is still in a cache. Every thread
/// does whatever can be done next, for the output that is furthest behind first; an output takes one band at a time.
/// Outputs take their places when all are complete: if one fails, the exception is thrown on and none of them is there.
BandedSeconds compute_in_bands(const BandedComputation& computation);

}  // namespace tilewright
