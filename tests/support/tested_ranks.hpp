// Which numbers of ranks a job tests, of those that it could.
#pragma once

#include <set>

namespace tilewright::test {

/// As many ranks as were started; one fewer, so that one idles; and two of many; none of fewer than `least`. The others
/// have jobs of their own: 1, 2, 3, 4, 6 and 8 ranks are started in turn, and a large job on few processors takes long.
inline std::set<int> tested_ranks(int started, int least = 1) {
  std::set<int> all{started, started - 1};
  if (started > 4) all.insert(2);
  all.erase(all.begin(), all.lower_bound(least));
  return all;
}

}  // namespace tilewright::test
