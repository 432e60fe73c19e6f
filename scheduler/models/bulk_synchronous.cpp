#include "bulk_synchronous.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <numeric>

#include "fits.hpp"
#include "tilewright/model/not_measured.hpp"
#include "tilewright/scheduler/log_np.hpp"

namespace tilewright {
namespace {

/// Of the patterns: where messages within nodes were measured, too, one rank of each node took part in those between.
int ranks_of_patterns(const MachineProfile& profile) {
  const Fingerprint& machine = profile.fingerprint();
  const bool tells_nodes = std::any_of(profile.paths().begin(), profile.paths().end(),
                                       [](const PathCell& cell) { return cell.within_node; });
  return tells_nodes && machine.nodes > 1 ? machine.nodes : machine.ranks;
}

int ranks_of(const MachineProfile& profile, std::string_view model) {
  const int ranks = ranks_of_patterns(profile);
  if (ranks < 2) {
    throw NotMeasured(fmt::format("machine '{}' was calibrated with {} ranks: the model {} needs patterns of 2 or more",
                                  profile.name(), ranks, model));
  }
  return ranks;
}

double barrier_seconds(const MachineProfile& profile, std::string_view model) {
  if (!profile.has(Path::barrier, Layout::cc)) {
    throw NotMeasured(
        fmt::format("machine '{}' has no measurement of a barrier, which the model {} needs: calibrate "
                    "it again, with 2 ranks or more",
                    profile.name(), model));
  }
  return profile.path_seconds(Path::barrier, Layout::cc, 0);
}

/// The most bytes that a rank sends or receives, for messages of one byte: h = factor times the size of a message.
/// All patterns have P-1 messages at the busiest end.
std::vector<TimedSize> by_bytes_of_rank(const MachineProfile& profile, std::initializer_list<Path> patterns,
                                        std::string_view model) {
  const double messages = ranks_of(profile, model) - 1;
  std::vector<TimedSize> points;
  for (const Path pattern : patterns) {
    for (const TimedSize& point : measured_row(profile, pattern, model)) {
      if (point.size > 0) points.push_back({messages * point.size, point.seconds});
    }
  }
  return points;
}

/// Least squares, of relative errors, of seconds = constant + s m + g h, where all points have the same m: the
/// start-ups are what the line does not pass through L by.
struct StartupFit {
  double startup_s = 0;
  double seconds_a_byte = 0;
};
StartupFit fit_startups(const std::vector<TimedSize>& points, double barrier_s, double messages) {
  const Line line = fitted_line(points);
  return {std::max(0.0, line.constant - barrier_s) / messages, line.slope};
}

}  // namespace

std::string BulkSynchronousModel::superstep_rule() {
  return "the sum of its supersteps: a flat tree is one, a binomial tree one a level, an exchange one a direction, a "
         "redistribution one, an allgather one a hop";
}

double BulkSynchronousModel::message_seconds(Path /*path*/, const MessageForm& form) const {
  return superstep_seconds({form.bytes, 1, form.bytes}, 2);
}

double BulkSynchronousModel::transfer_seconds(const ClassifiedSchedule& transfer, Packing /*packing*/) const {
  const std::vector<Superstep> steps = supersteps(transfer.schedule);
  const int ranks = transfer.schedule.spec.grid.ranks();
  return std::accumulate(steps.begin(), steps.end(), 0.0,
                         [&](double sum, const Superstep& step) { return sum + superstep_seconds(step, ranks); });
}

/// The root's part alone, all of it as one superstep; and each direction of an exchange and hop of an allgather. The
/// turns of a redistribution wait for nothing.
double BulkSynchronousModel::least_seconds(const TransferOutline& outline, Packing /*packing*/,
                                           KnownMessages& /*known*/, double /*enough*/) const {
  if (!outline.is_whole) return 0;  // a fitted cost of bytes may be negative
  const int ranks = outline.spec.grid.ranks();
  Superstep of_root;
  const bool is_one_step = outline.spec.kind == TransferKind::redistribute;
  if (is_one_step) {
    for (const RoundOutline& round : outline.rounds) {
      of_root.bytes += round.count * round.form.bytes;
      of_root.messages_of_a_rank += round.count;
    }
  }
  for (const AlikeMessages& alike : outline.of_root) {
    of_root.bytes += alike.count * alike.form.bytes;
    of_root.messages_of_a_rank += alike.count;
  }
  of_root.bytes_of_a_rank = of_root.bytes;
  double sum = of_root.messages_of_a_rank == 0 ? 0 : superstep_seconds(of_root, ranks);
  if (is_one_step) return sum;
  for (const RoundOutline& round : outline.rounds) {
    sum += static_cast<double>(round.count) * superstep_seconds({round.form.bytes, 1, round.form.bytes}, ranks);
  }
  return sum;
}

PramModel::PramModel(const MachineProfile& profile) : unit_s_(profile.path_seconds(Path::full, Layout::cc, 0)) {}

ModelStatement PramModel::statement() const {
  return {"Fortune and Wyllie 1978; Cameron, Ge and Sun 2007, section 5",
          "1 unit",
          superstep_rule(),
          fmt::format("one hop of unit cost, {} term", pram(unit_s_).terms()),
          {{"unit", unit_s_, "s", "T(full, cc, 0)"}}};
}

double PramModel::superstep_seconds(const Superstep& /*step*/, int /*ranks*/) const {
  return unit_s_;
}

BspModel::BspModel(const MachineProfile& profile)
    : barrier_s_(barrier_seconds(profile, name())),
      seconds_a_byte_(fitted_slope(by_bytes_of_rank(profile, {Path::all_to_all}, name()), barrier_s_)) {}

ModelStatement BspModel::statement() const {
  return {"Valiant 1990; Juurlink and Rieping, section 2",
          "g n + L",
          superstep_rule(),
          "",
          {{"g", seconds_a_byte_, "s/byte", "total exchanges, least squares of relative errors, L given"},
           {"L", barrier_s_, "s", "a barrier"}}};
}

double BspModel::superstep_seconds(const Superstep& step, int /*ranks*/) const {
  return seconds_a_byte_ * static_cast<double>(step.bytes_of_a_rank) + barrier_s_;
}

BspStarModel::BspStarModel(const MachineProfile& profile) : barrier_s_(barrier_seconds(profile, name())) {
  const StartupFit fit =
      fit_startups(by_bytes_of_rank(profile, {Path::all_to_all}, name()), barrier_s_, ranks_of(profile, name()) - 1);
  startup_s_ = fit.startup_s;
  seconds_a_byte_ = fit.seconds_a_byte;
}

ModelStatement BspStarModel::statement() const {
  return {"Baeumer et al. 1998; Juurlink and Rieping, section 2",
          "g* n + s + L*",
          superstep_rule(),
          "",
          {{"g*", seconds_a_byte_, "s/byte", "total exchanges, least squares of relative errors"},
           {"s", startup_s_, "s", "the same: what of the constant is above L*, a message"},
           {"L*", barrier_s_, "s", "a barrier"}}};
}

double BspStarModel::superstep_seconds(const Superstep& step, int /*ranks*/) const {
  return seconds_a_byte_ * static_cast<double>(step.bytes_of_a_rank) +
         startup_s_ * static_cast<double>(step.messages_of_a_rank) + barrier_s_;
}

EBspModel::EBspModel(const MachineProfile& profile)
    : barrier_s_(barrier_seconds(profile, name())),
      // In these patterns V / p is h.
      seconds_a_byte_of_volume_(
          fitted_slope(by_bytes_of_rank(profile, {Path::one_to_one, Path::all_to_all}, name()), barrier_s_)),
      seconds_a_byte_of_rank_(
          fitted_slope(by_bytes_of_rank(profile, {Path::one_to_all, Path::all_to_one, Path::all_to_one_to_all}, name()),
                       barrier_s_)) {}

ModelStatement EBspModel::statement() const {
  return {"Juurlink and Wijshoff 1996; Juurlink and Rieping, section 4.2",
          "max(g V / p, g' n) + L",
          superstep_rule(),
          "",
          {{"g", seconds_a_byte_of_volume_, "s/byte", "one-to-one and all-to-all, where V / p = h"},
           {"g'", seconds_a_byte_of_rank_, "s/byte", "one-to-all, all-to-one, and both at once"},
           {"L", barrier_s_, "s", "a barrier"}}};
}

double EBspModel::superstep_seconds(const Superstep& step, int ranks) const {
  return std::max(seconds_a_byte_of_volume_ * static_cast<double>(step.bytes) / ranks,
                  seconds_a_byte_of_rank_ * static_cast<double>(step.bytes_of_a_rank)) +
         barrier_s_;
}

}  // namespace tilewright
