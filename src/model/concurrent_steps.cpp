#include "tilewright/model/concurrent_steps.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>

namespace tilewright {

std::size_t steps_together(const Plan& plan, std::size_t first) {
  const auto begin = plan.steps.begin() + static_cast<std::ptrdiff_t>(first);
  if (is_banded(*begin)) {
    const int end = begin->image + begin->results;
    const auto after = std::find_if(begin + 1, plan.steps.end(), [&](const PlanStep& step) {
      return !may_take_bands(step) || step.image < begin->image || step.image >= end;
    });
    return static_cast<std::size_t>(after - begin);
  }
  if (begin->overlapped) return 2;
  if (plan.threads == 1) return 1;
  std::set<std::string_view> targets;
  const auto end = std::find_if(begin, plan.steps.end(), [&](const PlanStep& step) {
    return step.kind != StepKind::write || step.site == Site::tiles || !targets.insert(step.operation).second;
  });
  return std::max<std::size_t>(1, static_cast<std::size_t>(end - begin));
}

int bands_in_memory(int bands, int threads) {
  return static_cast<int>(std::min<std::int64_t>(bands, std::int64_t{threads} + 2));
}

std::int64_t bytes_of_bands(const Plan& plan, const PlanStep& banded) {
  std::int64_t bytes = 0;  // of the largest band
  for (int made = banded.image; made < banded.image + banded.results; ++made) {
    const ImageShape& shape = plan.images[static_cast<std::size_t>(made)].shape;
    bytes += ImageShape{largest_tile(shape.extent, {1, banded.bands}), shape.format}.bytes();
  }
  return bytes * bands_in_memory(banded.bands, plan.threads);
}

std::int64_t bytes_together(std::vector<std::int64_t> bytes_of_steps, int threads) {
  const auto count = std::min(bytes_of_steps.size(), static_cast<std::size_t>(threads));
  const auto end = bytes_of_steps.begin() + static_cast<std::ptrdiff_t>(count);
  std::partial_sort(bytes_of_steps.begin(), end, bytes_of_steps.end(), std::greater<>());
  return std::accumulate(bytes_of_steps.begin(), end, std::int64_t{0});
}

}  // namespace tilewright
