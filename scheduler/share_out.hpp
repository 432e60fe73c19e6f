// Work that is shared out among the processors of this machine.
#pragma once

#include <cstddef>
#include <functional>

namespace tilewright {

/// As many as there are processors.
[[nodiscard]] int worker_count();

/// Calls work(worker, i) once for every i below `count`, in any order and several at once. A worker is a number below
/// worker_count(), and does one thing at a time: what it needs for that may be kept by its number. Throws what `work`
/// throws.
void share_out(std::size_t count, const std::function<void(std::size_t worker, std::size_t i)>& work);

}  // namespace tilewright
