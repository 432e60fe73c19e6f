// Pixels that tell where they belong.
#pragma once

#include <optional>
#include <string>

#include "tilewright/core/raster.hpp"

namespace tilewright::simulation {

/// Every pixel of `area` gets the value of its position in the image.
void fill_pattern(const MutableView& view, const Rect& area);
/// Every pixel that the view stores gets a value that is wrong at its position.
void fill_wrong(const MutableView& view);
/// The first pixel of `area` whose value is not that of its position: "[3,4)x[7,8)"; none if all are right.
[[nodiscard]] std::optional<std::string> find_wrong(const ConstView& view, const Rect& area);

}  // namespace tilewright::simulation
