// Images stored at the same time.
#pragma once

#include <optional>
#include <span>

#include "tilewright/pipeline/operator.hpp"

namespace tilewright {

struct ImageToStore {
  const Sink* sink = nullptr;
  ConstView pixels;
  std::optional<double> predicted_seconds = {};
};

/// Stores all of them, by at most so many threads, what takes longest first: a sink works with one thread. Returns when
/// all are done; if some failed, the exception of the first of these is thrown.
void store_together(std::span<const ImageToStore> images, int threads);

}  // namespace tilewright
