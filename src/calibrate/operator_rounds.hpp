// How the time of the operators is shared out among rounds.
#pragma once

namespace tilewright {

/// At the end of each round what was measured is kept, and whoever calibrates is heard of. One that is silent for five
/// minutes is taken for dead on other hosts, and a round may take some times its share where processors are slow: so
/// where there is much time there are more rounds, and not longer ones.
inline constexpr double longest_round_s = 60;

class OperatorRounds {
 public:
  /// `fewest` rounds at least for `phase_s` seconds.
  OperatorRounds(int fewest, double phase_s);

  [[nodiscard]] int count() const { return count_; }
  /// While time is left, so many are made.
  [[nodiscard]] int most() const;
  /// Less than this is not worth beginning one.
  [[nodiscard]] double least_s() const { return least_s_; }
  /// Of the time that is left before the round of that number, which counts from 0.
  [[nodiscard]] double share_s(int round, double left_s) const;

 private:
  int count_;
  double least_s_;
};

}  // namespace tilewright
