// Several threads for one tile.
#pragma once

#include <functional>

#include "tilewright/core/geometry.hpp"

namespace tilewright {

/// for_each_band() with more than one thread.
void for_each_band_in_parallel(const Rect& area, int threads, const std::function<void(const Rect&)>& work);

/// Cuts `area` into bands of rows, at most one a thread, and calls `work` for each; returns when all are done.
/// With one thread `work` is called once, from this thread. An exception of `work` is thrown on.
template <class Band>
void for_each_band(const Rect& area, int threads, const Band& work) {
  if (area.empty()) return;
  if (threads <= 1 || area.height() <= 1) {
    work(area);
  } else {
    for_each_band_in_parallel(area, threads, work);
  }
}

}  // namespace tilewright
