#include "concurrent_writes.hpp"

#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <numeric>
#include <utility>
#include <vector>

namespace tilewright {
namespace {

/// Where nothing was predicted, the larger image takes longer.
std::pair<double, std::int64_t> expected_work(const ImageToStore& image) {
  const ConstView& view = image.pixels;
  return {image.predicted_seconds.value_or(0), view.area().pixels() * static_cast<std::int64_t>(view.format().bytes())};
}

std::vector<std::size_t> longest_first(std::span<const ImageToStore> images) {
  std::vector<std::size_t> order(images.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return expected_work(images[a]) > expected_work(images[b]); });
  return order;
}

}  // namespace

void store_together(std::span<const ImageToStore> images, int threads) {
  if (images.size() == 1) {
    images.front().sink->store(images.front().pixels);
    return;
  }
  const std::vector<std::size_t> order = longest_first(images);
  std::vector<std::exception_ptr> failures(images.size());
  std::atomic<std::size_t> taken{0};
  const auto store_what_is_left = [&](int) {
    for (std::size_t next = taken++; next < order.size(); next = taken++) {
      const ImageToStore& image = images[order[next]];
      try {
        image.sink->store(image.pixels);
      } catch (...) {
        failures[order[next]] = std::current_exception();
      }
    }
  };
  const int workers =
      std::min({threads, static_cast<int>(images.size()), tbb::info::default_concurrency()});  // more would take turns
  tbb::task_arena(workers).execute([&] { tbb::parallel_for(0, workers, store_what_is_left); });
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

}  // namespace tilewright
