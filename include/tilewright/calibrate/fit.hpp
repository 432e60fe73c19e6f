// From raw samples to the values of a profile. Pure functions: the same samples give the same values.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "tilewright/model/machine_profile.hpp"

namespace tilewright {

/// The median, half the interquartile range, and the number of samples. Of the middle two of an even number it is the
/// lower one if the other is more than half as long again: what disturbs a measurement makes it longer, and of two
/// samples one may be many times the other. Always the lower one would make the times of few samples too short.
/// Throws ParameterError without samples.
[[nodiscard]] Estimate fit(std::span<const double> samples);

/// T_full = t_a + t_cf (P-3PC, Fig. 8) from round trips: a message there, an empty one back. T_full of the empty
/// message is half of its round trip; of others, the round trip without the way back, which is T_full of the empty one,
/// or half of the round trip if that is less: no message comes sooner than an empty one. Where the empty message's
/// samples say more than that, the two contradict each other, and the spread is as large as that at least.
[[nodiscard]] Estimate fit_empty_full(std::span<const double> empty_round_trips);
/// False if the round trip is shorter than the empty way back, which cannot be: the samples are too few, or disturbed.
[[nodiscard]] bool is_plausible_full(std::span<const double> round_trips, std::span<const double> empty_round_trips);
[[nodiscard]] Estimate fit_full(std::span<const double> round_trips, std::span<const double> empty_round_trips);

/// The time of a path's cell from its samples, which are round trips for Path::full; those need the round trips of the
/// empty message in `empty`. None without them.
[[nodiscard]] std::optional<Estimate> fit_path(const PathCell& cell, const std::vector<double>& samples,
                                               const std::vector<double>* empty);

/// One cell's time from those of its replicates, by what `middle` takes of them; none of none. The spread is that
/// within a replicate, or that between them if it is larger.
[[nodiscard]] std::optional<Estimate> combined(const std::vector<Estimate>& replicates,
                                               double (*middle)(std::span<const double>));

/// A burst of a continuous stream, seconds a message, seen from both ends.
struct StreamBurst {
  double in_calls_s = 0;   ///< in the send or the receive calls (P-3PC, Fig. 8)
  double other_end_s = 0;  ///< in those of the other end: between two arrivals, or between two departures
};

/// What a message of the stream costs the end at which it is timed: the time in the calls, once the stream is steady.
/// While it still vanishes into buffers, the send calls return at once and their time says nothing; and receive calls
/// find what has come while the burst's first messages, which do not count, were waited for. Then it is what the other
/// end takes, to which the time in the calls comes up in the long run. The stream counts as steady when the calls
/// account for at least steady_share of that.
[[nodiscard]] double stream_seconds(const StreamBurst& burst);
inline constexpr double steady_share = 0.8;

}  // namespace tilewright
