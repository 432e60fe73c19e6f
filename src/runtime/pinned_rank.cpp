#include "tilewright/runtime/pinned_rank.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "cores.hpp"

namespace tilewright {
namespace {

std::vector<std::size_t> cores_of(const std::string& mask) {
  std::vector<std::size_t> cores;
  for (std::size_t core = 0; core < mask.size(); ++core) {
    if (mask[core] == '1') cores.push_back(core);
  }
  return cores;
}

}  // namespace

bool PinnedRank::is_possible(const Communicator& communicator) {
  const int ranks = communicator.sharing_ranks();
  const std::size_t cores = cores_of(share_of_this_process().mask).size();
  return ranks > 1 && communicator.rank() < ranks && cores >= static_cast<std::size_t>(ranks) &&
         communicator.ration_period_s() <= 0;
}

PinnedRank::PinnedRank(const Communicator& communicator, int shift) {
  if (!is_possible(communicator)) return;
  const std::string mask = share_of_this_process().mask;
  const std::vector<std::size_t> cores = cores_of(mask);
  std::string one(mask.size(), '0');
  one[cores[static_cast<std::size_t>(communicator.rank() + shift) % cores.size()]] = '1';
  if (run_on(one)) before_ = mask;
}

PinnedRank::~PinnedRank() {
  if (before_) (void)run_on(*before_);
}

}  // namespace tilewright
