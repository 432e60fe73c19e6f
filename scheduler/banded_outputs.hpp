// Results that are only written and reduced, and so need not exist as whole images.
#pragma once

#include <vector>

#include "tilewright/pipeline/pipeline.hpp"

namespace tilewright {

/// In how many bands of rows one rank computes what an operator makes, each of them written, and its part of a sum or
/// an extreme taken, before all are made. By the operator's first result; 1 for whole images: where anything but writes
/// and reductions right after it wants a result, two writes have one target, an input's border cannot be filled in, or
/// so little is made that bands are not worth it.
[[nodiscard]] std::vector<int> bands_by_image(const Pipeline& pipeline);

/// Whether the task writes or reduces a result of that operator.
[[nodiscard]] bool takes_bands_of(const Pipeline& pipeline, const Task& task, int first_result);

}  // namespace tilewright
