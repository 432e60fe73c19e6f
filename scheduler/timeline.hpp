// When ranks are done with what, where the root has less to compute than the others.
//
// The times of a path's transitions add up where all ranks wait for each other. Where the root feeds the others one
// after another, and collects their results so, they do not: the first of the others computes while the last one is
// still waiting for its tile, and a root with less to compute collects the first results while the last ones are being
// made. (Oliveira and du Buf, "SPMD Image Processing on Beowulf Clusters: Directives and Libraries", Fig. 1 and section
// 6, ask for such a root.)
//
//   root    sssssss c   rrrrrrr       s: sends, r: receives, c: computes
//   first    r cccccc   s
//   last          r cccccc   s
#pragma once

#include <vector>

namespace tilewright {

/// How a transition passes, in seconds.
struct TransitionTimes {
  enum class Form {
    together,      ///< all wait for each other before, and are done at the same time
    each_its_own,  ///< each rank has its own work, and waits for nobody
    root_alone,    ///< the others have no part in it
    from_root,     ///< the root sends to one after another
    to_root,       ///< the root receives from one after another
  } form = Form::together;
  double seconds = 0;       ///< what it takes by itself; of each_its_own, a rank that is not the root
  double root_seconds = 0;  ///< of each_its_own: the root
  double turn_seconds = 0;  ///< of from_root and to_root: one of the others
};

/// When ranks are done, in seconds from the start: the root, and of the others the first and the last one that the root
/// turns to.
struct Timeline {
  double root = 0;
  double first = 0;
  double last = 0;

  /// All ranks.
  [[nodiscard]] double end() const;
  /// In no way later than that.
  [[nodiscard]] bool is_as_early_as(const Timeline& other) const {
    return root <= other.root && first <= other.first && last <= other.last;
  }
};

/// Once they have made that transition, too.
[[nodiscard]] Timeline after(const Timeline& before, const TransitionTimes& transition);

/// By so much at least the transition raises a mean of the times of the root, which has that weight from 0 to 1, and of
/// the last of the others. All ranks are done no earlier than any such mean, so its sum over a path is a lower bound.
[[nodiscard]] double least_added_seconds(const TransitionTimes& transition, double weight_of_root);

/// What they take one after another. Seconds.
[[nodiscard]] double seconds_of(const std::vector<TransitionTimes>& transitions);

}  // namespace tilewright
