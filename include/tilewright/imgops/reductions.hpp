// Reductions: one number a channel. Session::value() yields it.
#pragma once

#include "tilewright/pipeline/image.hpp"

namespace tilewright {

/// The sum of all values, exact and rounded once to double, so that it does not depend on how the image is cut.
/// NaN if a value is NaN or if both infinities occur. Cost: "reduce_sum".
[[nodiscard]] Reduction sum(const Image& image);

/// sum() divided by the number of pixels. Cost: "reduce_sum".
[[nodiscard]] Reduction mean(const Image& image);

/// The smallest value; NaN if any value is NaN; -0 is less than +0. Cost: "reduce_minmax".
[[nodiscard]] Reduction min(const Image& image);

/// The largest value; NaN if any value is NaN; +0 is greater than -0. Cost: "reduce_minmax".
[[nodiscard]] Reduction max(const Image& image);

}  // namespace tilewright
