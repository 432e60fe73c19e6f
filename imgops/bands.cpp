#include "bands.hpp"

#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>

#include "tilewright/core/grid.hpp"

namespace tilewright {

void for_each_band_in_parallel(const Rect& area, int threads, const std::function<void(const Rect&)>& work) {
  const int bands = static_cast<int>(std::min<std::int64_t>(threads, area.height()));
  tbb::task_arena arena(std::min(bands, tbb::info::default_concurrency()));  // more of them would only take turns
  arena.execute([&] {
    tbb::parallel_for(0, bands, [&](int band) {
      Rect rows = area;
      rows.y0 = area.y0 + part_begin(area.height(), bands, band);
      rows.y1 = area.y0 + part_begin(area.height(), bands, band + 1);
      work(rows);
    });
  });
}

}  // namespace tilewright
