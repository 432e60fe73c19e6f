#include "timeline.hpp"

#include <algorithm>
#include <cmath>

#include "tilewright/core/error.hpp"

namespace tilewright {

double Timeline::end() const {
  return std::max({root, first, last});
}

namespace {

/// From when on the root would be free to collect.
double free_root(const Timeline& timeline, double both_ways) {
  return (1 - both_ways) * timeline.open + both_ways * std::min(timeline.open, timeline.first + timeline.busy);
}

/// Of each_its_own, while the root can receive nothing.
double absent_seconds(const TransitionTimes& transition) {
  return (1 - transition.meanwhile) * transition.root_seconds;
}

}  // namespace

Timeline after(const Timeline& before, const TransitionTimes& transition) {
  const auto [form, seconds, root_seconds, turn_seconds, gap_part, both_ways, meanwhile] = transition;
  using enum TransitionTimes::Form;
  switch (form) {
    case together: {
      const double end = before.end() + seconds;
      return {end, end, end, 0, end};
    }
    case each_its_own: {
      const double absent = absent_seconds(transition);
      return {before.root + root_seconds, before.first + seconds, before.last + seconds, before.busy + absent,
              before.open + absent};
    }
    case in_a_row: {
      const double second = before.first + gap_part * std::max(0.0, before.last - before.first);
      const double root = std::max(before.root, before.first) + seconds;  // no results come before it
      return {root, std::max(before.first, second) + seconds, before.last + seconds, before.busy, root};
    }
    case root_alone:
      return {before.root + seconds, before.first, before.last, before.busy + seconds, before.open + seconds};
    case from_root: {
      const double begin = before.end();
      return {begin + seconds, begin + turn_seconds, begin + seconds, 0, begin + seconds};
    }
    case to_root: {
      // Each of the others has to be ready when its turn comes; the first and the last one decide. What comes in takes
      // the root's attention, or the system's: in part while it sends or computes, and else not while it is busy.
      const double begin = std::max(before.first, free_root(before, both_ways));
      const double end = std::max(begin + seconds, before.last + turn_seconds);
      // The next image comes in after this one.
      return {std::max(before.root, end), begin + turn_seconds, end, seconds - turn_seconds, begin + seconds};
    }
  }
  throw InternalError("after: unknown form of a transition");
}

double least_added_seconds(const TransitionTimes& transition, double weight_of_root) {
  using enum TransitionTimes::Form;
  // Of the root: of when it would be free to collect, as in after().
  const auto mean = [&](double root_s, double last_s) {
    return weight_of_root * root_s + (1 - weight_of_root) * last_s;
  };
  switch (transition.form) {
    case together:
    case in_a_row:
      return transition.seconds;
    case from_root:
      return mean(std::lerp(transition.seconds, transition.turn_seconds, transition.both_ways), transition.seconds);
    case each_its_own:
      return mean(absent_seconds(transition), transition.seconds);
    case root_alone:
      return mean(transition.seconds, 0);
    case to_root:
      return mean(transition.seconds, transition.turn_seconds);
  }
  throw InternalError("least_added_seconds: unknown form of a transition");
}

double mean_of(const Timeline& timeline, double weight_of_root, double both_ways) {
  return weight_of_root * free_root(timeline, both_ways) + (1 - weight_of_root) * timeline.last;
}

double seconds_of(const std::vector<TransitionTimes>& transitions) {
  Timeline now;
  for (const TransitionTimes& transition : transitions) now = after(now, transition);
  return now.end();
}

}  // namespace tilewright
