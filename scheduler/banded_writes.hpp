// Results that are only written, and so need not exist as whole images.
#pragma once

#include <vector>

#include "tilewright/pipeline/pipeline.hpp"

namespace tilewright {

/// In how many bands of rows one rank computes what an operator makes, each of them written before all are made. By the
/// operator's first result; 1 for whole images: where anything but writes right after it wants a result, two of these
/// have one target, an input's border cannot be filled in, or so little is made that bands are not worth it.
[[nodiscard]] std::vector<int> bands_by_image(const Pipeline& pipeline);

/// Whether the task writes a result of that operator.
[[nodiscard]] bool writes_result_of(const Pipeline& pipeline, const Task& task, int first_result);

}  // namespace tilewright
