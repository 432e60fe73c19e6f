// What an operator makes, stored and reduced band by band.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "tilewright/pipeline/operator.hpp"

namespace tilewright {

/// One of an operator's results, and what takes its bands.
struct BandedOutput {
  std::size_t result = 0;
  std::function<std::unique_ptr<ImageWriter>(const ImageShape&)> open;
};

struct BandedComputation {
  const Operator* op = nullptr;
  std::vector<ConstView> inputs;    ///< whole images, their borders filled in
  std::vector<ImageShape> results;  ///< of all that the operator makes
  std::vector<BandedOutput> outputs;
  int bands = 1;
  int threads = 1;
};

/// Seconds in which a thread was at work, added up.
struct BandedSeconds {
  double computing = 0;
  std::vector<double> storing;  ///< by output
};

/// Computes the image in bands of rows from top to bottom, and puts each out while it is still in a cache. Every thread
/// does whatever can be done next, for the output that is furthest behind first; an output takes one band at a time.
/// Outputs take their places when all are complete: if one fails, the exception is thrown on and none of them is there.
BandedSeconds compute_in_bands(const BandedComputation& computation);

}  // namespace tilewright
