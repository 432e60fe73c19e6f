// Several threads for one tile.
#pragma once

#include <functional>

#include "tilewright/core/geometry.hpp"

namespace tilewright {

/// Cuts `area` into bands of rows, at most one a thread, and calls `work` for each; returns when all are done.
/// With one thread `work` is called once, from this thread. An exception of `work` is thrown on.
void for_each_band(const Rect& area, int threads, const std::function<void(const Rect&)>& work);

}  // namespace tilewright
