#include "tilewright/runtime/pinned_rank.hpp"

#include <cstddef>
#include <vector>

#include "cores.hpp"

namespace tilewright {
namespace {

/// The numbers of the cores between which a rank changes places; none if it would stay where it is.
std::vector<std::size_t> places_of(const Communicator& communicator, const std::string& mask) {
  const int ranks = communicator.sharing_ranks();
  if (ranks < 2 || communicator.rank() >= ranks || communicator.ration_period_s() > 0) return {};
  std::vector<std::size_t> cores;
  for (std::size_t core = 0; core < mask.size(); ++core) {
    if (mask[core] == '1') cores.push_back(core);
  }
  if (cores.size() < static_cast<std::size_t>(ranks)) return {};
  return cores;
}

}  // namespace

bool PinnedRank::is_possible(const Communicator& communicator) {
  return !places_of(communicator, cores_of_this_thread()).empty();
}

PinnedRank::PinnedRank(const Communicator& communicator, int shift) {
  const std::string mask = cores_of_this_thread();
  const std::vector<std::size_t> places = places_of(communicator, mask);
  if (places.empty()) return;
  std::string one(mask.size(), '0');
  one[places[static_cast<std::size_t>(communicator.rank() + shift) % places.size()]] = '1';
  if (run_on(one)) before_ = mask;
}

PinnedRank::~PinnedRank() {
  if (before_) (void)run_on(*before_);
}

}  // namespace tilewright
