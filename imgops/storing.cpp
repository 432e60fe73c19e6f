#include "storing.hpp"

#include <hwy/cache_control.h>

namespace tilewright {

Storing storing_of(std::span<const MutableView> results) {
  std::int64_t bytes = 0;
  for (const MutableView& result : results) {
    bytes += result.area().pixels() * static_cast<std::int64_t>(result.format().bytes());
  }
  return storing_of(bytes);
}

void finish_streaming() {
  hwy::FlushStream();
}

}  // namespace tilewright
