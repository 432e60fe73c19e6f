// Several threads for one reduction.
#pragma once

#include <cstddef>
#include <span>

#include "tilewright/pipeline/operator.hpp"

namespace tilewright {

/// ReductionMethod::accumulate() of bands of rows, one a thread, merged: the same partial result, for merging is exact.
/// A thread mostly reads what it has computed itself, which lies in its core's caches.
void accumulate(const ReductionMethod& method, const ConstView& view, std::span<std::byte> partial,
                const ComputeContext& context);

}  // namespace tilewright
