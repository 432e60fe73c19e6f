// Whole images computed without a border around their inputs.
#pragma once

#include <span>

#include "tilewright/pipeline/operator.hpp"

namespace tilewright {

/// Computes whole images from whole inputs that need not have room for the operator's halo: the middle from the pixels
/// where they lie, the strips along the edges from copies of what is there (small images are one strip). Returns the
/// bytes of the largest copies.
std::int64_t compute_without_border(const Operator& op, std::span<const ConstView> inputs,
                                    std::span<const MutableView> outputs, const ComputeContext& context);

}  // namespace tilewright
