#include "refinement.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "tilewright/model/stride_costs.hpp"

namespace tilewright {
namespace {

constexpr double narrowest_gap = 1.33;
/// Where a protocol changes: what lies in the gap is priced by a chord across the step.
constexpr double narrowest_step = 1.03;
constexpr double least_step = 1.25;
constexpr double least_jump = 1.8;
/// What fewer say of a time may be noise. Where the processor is rationed cells have no more, each of a long burst,
/// when sizes are added.
constexpr std::int64_t fewest_samples = 3;
/// Between the empty message and the next size, which have no geometric middle.
constexpr double share_of_first_gap = 0.125;

double chord(const RowPoint& low, const RowPoint& high, std::int64_t bytes) {
  const double share = static_cast<double>(bytes - low.bytes) / static_cast<double>(high.bytes - low.bytes);
  return std::lerp(low.time.seconds, high.time.seconds, share);
}

/// Up, or far down, for a longer message may be quicker where it goes another way. What few samples say of two sizes
/// that are close to each other is mostly noise, but for a jump.
bool is_step(const RowPoint& low, const RowPoint& high) {
  const std::int64_t samples = std::min(low.time.samples, high.time.samples);
  if (samples < fewest_samples) return false;
  const double by_bytes = static_cast<double>(high.bytes) / static_cast<double>(std::max<std::int64_t>(1, low.bytes));
  const double least = samples < samples_enough ? least_jump : least_step;
  const bool rises = high.time.seconds > least * by_bytes * low.time.seconds;
  const bool falls = low.time.seconds > least_jump * high.time.seconds;
  const double change_s = std::abs(high.time.seconds - low.time.seconds);
  return (rises || falls) && change_s > noise_s(low.time) + noise_s(high.time);
}

bool leaves_chord(const RowPoint& low, const RowPoint& point, const RowPoint& high, double tolerance) {
  const double distance = std::abs(point.time.seconds - chord(low, high, point.bytes));
  for (const RowPoint* known : {&low, &point, &high}) {
    if (known->time.samples < fewest_samples) return false;
  }
  return distance > tolerance * point.time.seconds && distance > noise_s(point.time) + noise_s(low.time);
}

std::optional<std::int64_t> middle(const RowPoint& before, const RowPoint& after, std::int64_t whole_unit) {
  const auto [low, high] = std::pair(before.bytes, after.bytes);
  const double narrowest = is_step(before, after) ? narrowest_step : narrowest_gap;
  if (low > 0 && static_cast<double>(high) < narrowest * static_cast<double>(low)) return std::nullopt;
  const double exact = low > 0 ? std::sqrt(static_cast<double>(low) * static_cast<double>(high))
                               : static_cast<double>(high) * share_of_first_gap;
  const std::int64_t unit = exact < static_cast<double>(whole_unit) ? value_bytes : whole_unit;
  const std::int64_t bytes = std::llround(exact / static_cast<double>(unit)) * unit;
  if (bytes <= low || bytes >= high) return std::nullopt;
  return bytes;
}

}  // namespace

std::vector<std::int64_t> sizes_to_refine(const std::vector<RowPoint>& points, double tolerance, std::int64_t unit) {
  std::set<std::int64_t> sizes;
  for (std::size_t i = 1; i + 1 < points.size(); ++i) {
    if (!leaves_chord(points[i - 1], points[i], points[i + 1], tolerance)) continue;
    for (const std::size_t gap : {i - 1, i}) {
      if (const auto bytes = middle(points[gap], points[gap + 1], unit)) sizes.insert(*bytes);
    }
  }
  return {sizes.begin(), sizes.end()};
}

std::vector<std::int64_t> sizes_within_steps(const std::vector<RowPoint>& points, std::int64_t unit) {
  std::vector<std::int64_t> sizes;
  for (std::size_t i = 1; i < points.size(); ++i) {
    if (!is_step(points[i - 1], points[i])) continue;
    if (const auto bytes = middle(points[i - 1], points[i], unit)) sizes.push_back(*bytes);
  }
  return sizes;
}

}  // namespace tilewright
