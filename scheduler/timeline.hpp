// When ranks are done with what, where the root serves them in turn.
//
// The times of a path's transitions add up where all ranks wait for each other. Where the root feeds the others one
// after another, and collects their results so, they do not: the first of the others computes while the last one is
// still waiting for its tile, and its result may come in while the root still sends. A root with less to compute
// collects the first results while the last ones are being made. (Oliveira and du Buf, "SPMD Image Processing on
// Beowulf Clusters: Directives and Libraries", Fig. 1 and section 6, ask for such a root.)
//
//   root    sssssss c                 s: sends, c: computes
//   in          rrr  rrrr             r: what comes in meanwhile; while it computes only as far as it is taken in then
//   first    r ccc s
//   last          r ccc s
#pragma once

#include <vector>

namespace tilewright {

/// How a transition passes, in seconds.
struct TransitionTimes {
  enum class Form {
    together,      ///< all wait for each other before, and are done at the same time
    each_its_own,  ///< each rank has its own work, and waits for nobody
    in_a_row,      ///< each rank waits for those before and after it
    root_alone,    ///< the others have no part in it
    from_root,     ///< the root sends to one after another
    to_root,       ///< the root receives from one after another
  } form = Form::together;
  double seconds = 0;       ///< what it takes by itself; of each_its_own, a rank that is not the root
  double root_seconds = 0;  ///< of each_its_own: the root
  double turn_seconds = 0;  ///< of from_root and to_root: one of the others
  double gap_part = 1;      ///< of in_a_row: from one of the others to the next, of what lies between first and last
  double both_ways = 0;  ///< of from_root and to_root, the same in all of a path: the part of what comes in while the
                         ///< root sends that takes no time of the sending, from 0 to 1
  double meanwhile = 0;  ///< of each_its_own: the part of root_seconds in which the root also takes in what comes
};

/// When ranks are done, in seconds from the start: the root, and of the others the first and the last one that the root
/// turns to.
struct Timeline {
  double root = 0;
  double first = 0;
  double last = 0;
  double busy = 0;  ///< so long after the first of them the root could collect, had it sent and received only
  double open = 0;  ///< from then on the root could receive, for it can while it computes; not after `root`

  /// All ranks.
  [[nodiscard]] double end() const;
  /// In no way later than that.
  [[nodiscard]] bool is_as_early_as(const Timeline& other) const {
    return root <= other.root && first <= other.first && last <= other.last && busy <= other.busy && open <= other.open;
  }
};

/// Once they have made that transition, too.
[[nodiscard]] Timeline after(const Timeline& before, const TransitionTimes& transition);

/// By so much at least the transition raises a mean of the time from which the root could collect, which has that
/// weight from 0 to 1, and of the time of the last of the others. All ranks are done no earlier than any such mean, so
/// its sum over a path is a lower bound.
[[nodiscard]] double least_added_seconds(const TransitionTimes& transition, double weight_of_root);

/// The mean of which least_added_seconds() tells how much it is raised at least; both_ways is that of the path.
[[nodiscard]] double mean_of(const Timeline& timeline, double weight_of_root, double both_ways);

/// What they take one after another. Seconds.
[[nodiscard]] double seconds_of(const std::vector<TransitionTimes>& transitions);

}  // namespace tilewright
