#include "share_out.hpp"

#include <tbb/info.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>

namespace tilewright {

int worker_count() {
  return tbb::info::default_concurrency();
}

void share_out(std::size_t count, const std::function<void(std::size_t worker, std::size_t i)>& work) {
  const std::size_t workers = std::min(count, static_cast<std::size_t>(worker_count()));
  if (workers <= 1) {
    for (std::size_t i = 0; i < count; ++i) work(0, i);
    return;
  }
  std::atomic<std::size_t> next = 0;
  tbb::parallel_for(std::size_t{0}, workers, [&](std::size_t worker) {
    for (std::size_t i = next++; i < count; i = next++) work(worker, i);
  });
}

}  // namespace tilewright
