#include "operator_rounds.hpp"

#include <algorithm>
#include <cmath>

namespace tilewright {
namespace {

/// While time is left, so many times more rounds are made.
constexpr int more_rounds = 3;
constexpr double smallest_share_of_round = 0.1;
/// More than any calibration lasts for, and far from an overflow.
constexpr double most_rounds = 1e6;

}  // namespace

OperatorRounds::OperatorRounds(int fewest, double phase_s)
    : count_(std::max({1, fewest, static_cast<int>(std::min(most_rounds, std::ceil(phase_s / longest_round_s)))})),
      least_s_(smallest_share_of_round * phase_s / count_) {}

int OperatorRounds::most() const {
  return more_rounds * count_;
}

double OperatorRounds::share_s(int round, double left_s) const {
  return std::clamp(left_s / std::max(1, count_ - round), 0.0, longest_round_s);
}

}  // namespace tilewright
