#include "tilewright/pipeline/accumulation.hpp"

#include <algorithm>
#include <mutex>
#include <vector>

#include "tilewright/pipeline/bands.hpp"

namespace tilewright {

void accumulate(const ReductionMethod& method, const ConstView& view, std::span<std::byte> partial,
                const ComputeContext& context) {
  if (context.threads <= 1 || view.area().height() <= 1) return method.accumulate(view, partial);
  std::mutex merging;
  bool is_first = true;
  for_each_band(view.area(), context.threads, [&](const Rect& band) {
    std::vector<std::byte> of_band(partial.size());
    method.accumulate(view.restricted(band), of_band);
    const std::scoped_lock lock(merging);
    if (is_first)
      std::ranges::copy(of_band, partial.begin());
    else
      method.merge(partial, of_band, view.format());
    is_first = false;
  });
}

}  // namespace tilewright
