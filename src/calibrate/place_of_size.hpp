// Where a size is among others.
#pragma once

#include <cmath>
#include <cstdint>

namespace tilewright {

/// Of messages, the empty one among them: sizes that are as many times as long are as far apart. Bytes.
inline double place_of_size(std::int64_t bytes) {
  return std::log1p(static_cast<double>(bytes));
}

}  // namespace tilewright
