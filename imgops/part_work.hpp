// What reading or writing a part of a file costs.
#pragma once

#include <string>
#include <vector>

#include "tilewright/pipeline/operator.hpp"

namespace tilewright {

/// Of a part whose rows are in pieces of at most so many pixels in the file. What is copied does not depend on the
/// type; the calls of the system do on whether rows follow each other.
[[nodiscard]] std::vector<Work> work_on_part(const std::string& key, const ImageShape& image, const Extent& part,
                                             std::int64_t row_pixels);

}  // namespace tilewright
