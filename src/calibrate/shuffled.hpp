// An order by chance that a seed gives again.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

namespace tilewright {

using ShuffleEngine = std::mt19937_64;

/// By Fisher and Yates; std::shuffle is another on each standard library.
template <class Iterator>
void shuffle_range(Iterator begin, Iterator end, ShuffleEngine& engine) {
  for (auto count = static_cast<std::uint64_t>(end - begin); count > 1; --count) {
    const auto at = [&](std::uint64_t i) { return begin + static_cast<std::ptrdiff_t>(i); };
    std::iter_swap(at(count - 1), at(engine() % count));
  }
}

/// The numbers below `count`.
[[nodiscard]] inline std::vector<std::size_t> shuffled(std::size_t count, ShuffleEngine& engine) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  shuffle_range(order.begin(), order.end(), engine);
  return order;
}

}  // namespace tilewright
