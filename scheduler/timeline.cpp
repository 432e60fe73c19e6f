#include "timeline.hpp"

#include <algorithm>

#include "tilewright/core/error.hpp"

namespace tilewright {

double Timeline::end() const {
  return std::max({root, first, last});
}

Timeline after(const Timeline& before, const TransitionTimes& transition) {
  const auto [form, seconds, root_seconds, turn_seconds] = transition;
  using enum TransitionTimes::Form;
  switch (form) {
    case together: {
      const double end = before.end() + seconds;
      return {end, end, end};
    }
    case each_its_own:
      return {before.root + root_seconds, before.first + seconds, before.last + seconds};
    case root_alone:
      return {before.root + seconds, before.first, before.last};
    case from_root: {
      const double begin = before.end();
      return {begin + seconds, begin + turn_seconds, begin + seconds};
    }
    case to_root: {
      // The root has to be free, and each of the others ready when its turn comes; the first and the last one decide.
      const double end = std::max({before.root + seconds, before.first + seconds, before.last + turn_seconds});
      return {end, std::max(before.root, before.first) + turn_seconds, end};
    }
  }
  throw InternalError("after: unknown form of a transition");
}

double least_added_seconds(const TransitionTimes& transition, double weight_of_root) {
  using enum TransitionTimes::Form;
  const auto mean = [&](double root_s, double last_s) {
    return weight_of_root * root_s + (1 - weight_of_root) * last_s;
  };
  switch (transition.form) {
    case together:
    case from_root:
      return transition.seconds;
    case each_its_own:
      return mean(transition.root_seconds, transition.seconds);
    case root_alone:
      return mean(transition.seconds, 0);
    case to_root:
      return mean(transition.seconds, transition.turn_seconds);
  }
  throw InternalError("least_added_seconds: unknown form of a transition");
}

double seconds_of(const std::vector<TransitionTimes>& transitions) {
  Timeline now;
  for (const TransitionTimes& transition : transitions) now = after(now, transition);
  return now.end();
}

}  // namespace tilewright
