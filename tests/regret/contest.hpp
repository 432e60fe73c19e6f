// Runs many plans, and the rival, in one MPI job: every rank does what the root calls for.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "baseline/row_strips.hpp"
#include "cases.hpp"
#include "tilewright/model/plan.hpp"
#include "tilewright/runtime/communicator.hpp"

namespace tilewright::regret {

/// The transfers of the rival, with its phases separated.
struct RivalTimes {
  double transfers_s = 0;
  double whole_s = 0;
};

/// Of runs without a pause.
struct Repeats {
  int warm_up = 0;  ///< that are not timed
  int timed = 1;
};

/// Of runs that take about `expected_s`: as many as last for `window_s`, after a fifth as many; a longer one is run
/// once.
[[nodiscard]] Repeats repeats_for(double expected_s, double window_s);

/// Of these numbers of ranks, those at which the case can be run by hand, too: none if nobody has written its pipeline,
/// and not where strips would have fewer rows than a filter's halo.
[[nodiscard]] std::vector<int> rival_ranks(const Case& contested, const std::vector<int>& rank_counts);

/// The ranks of one case. The root calls; the others serve until it is destroyed on the root.
class Contest {
 public:
  /// `plans` matter on the root and are sent to all. `rival_ranks`: the rank counts at which the rival runs, if there
  /// is one. `ranks_of_plans`: the same ranks in the orders that the plans mean; as they are, without. Collective.
  Contest(const Case& contested, const std::vector<Plan>& plans, const std::vector<int>& rival_ranks,
          const Communicator& communicator, std::vector<const Communicator*> ranks_of_plans = {});
  ~Contest();
  Contest(const Contest&) = delete;
  Contest& operator=(const Contest&) = delete;

  /// Other ranks: does what the root orders, until it ends the contest.
  void serve();

  // Root only from here on. Seconds of one run, the mean of those that are timed.
  [[nodiscard]] double run_plan(std::size_t plan, const Repeats& repeats);
  [[nodiscard]] double run_rival(std::size_t index, const Repeats& repeats);
  /// The plan with measured times in its steps: of one run, after so many that are not timed.
  [[nodiscard]] Plan run_separately(std::size_t plan, int warm_up);
  [[nodiscard]] RivalTimes run_rival_separately(std::size_t index, int warm_up);

 private:
  struct Order;
  void call(const Order& order);
  double obey(const Order& order);
  [[nodiscard]] double run_on_root_alone(const Plan& plan, const Repeats& repeats) const;
  [[nodiscard]] cv::Mat rival_image();
  [[nodiscard]] RivalTimes rival_phases(std::size_t index, int warm_up);

  [[nodiscard]] const Communicator& ranks_of(std::size_t plan) const;

  const Communicator& communicator_;
  std::vector<const Communicator*> ranks_of_plans_;
  Pipeline pipeline_;
  std::vector<Plan> plans_;
  Raster pixels_;
  baseline::Work work_;
  std::vector<std::unique_ptr<baseline::RowStrips>> rivals_;
  std::vector<std::unique_ptr<baseline::RowStrips>> rivals_in_phases_;
  Plan measured_;
  RivalTimes rival_times_;
};

}  // namespace tilewright::regret
