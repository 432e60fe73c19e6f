#include "tilewright/pipeline/bands.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>

#include "tilewright/core/grid.hpp"

namespace tilewright {

void for_each_band_in_parallel(const Rect& area, int threads, const std::function<void(const Rect&)>& work) {
  const int bands = static_cast<int>(std::min<std::int64_t>(threads, area.height()));
  // Not in an arena of its own: to make one, and have it joined and left, takes longer than a small image.
  tbb::parallel_for(0, bands, [&](int band) {
    Rect rows = area;
    rows.y0 = area.y0 + part_begin(area.height(), bands, band);
    rows.y1 = area.y0 + part_begin(area.height(), bands, band + 1);
    work(rows);
  });
}

}  // namespace tilewright
