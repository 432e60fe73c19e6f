#include "contest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <sstream>

#include "../../src/calibrate/stopwatch.hpp"
#include "communicator_implementation.hpp"
#include "plan_runs.hpp"
#include "tilewright/core/error.hpp"
#include "tilewright/runtime/executor.hpp"

namespace tilewright::regret {
namespace {

/// None for a pipeline that nobody runs by hand.
std::optional<baseline::Work> rival_work(const PipelineChoice& choice) {
  baseline::Work work;
  work.sigma = choice.sigmas.front();
  work.sigmas = choice.sigmas;
  work.level = choice.level;
  work.angles = choice.angles;
  work.iterations = choice.passes;
  switch (choice.kind) {
    case Kind::one_derivative:
      work.kind = baseline::Kind::derivative;
      break;
    case Kind::five_derivatives:
      work.kind = baseline::Kind::five_derivatives;
      break;
    case Kind::gradient_threshold:
      work.kind = baseline::Kind::thresholded_gradient;
      break;
    case Kind::chain:
      work.kind = baseline::Kind::smoothing_chain;
      break;
    case Kind::bank:
      work.kind = baseline::Kind::oriented_bank;
      break;
    case Kind::iterations:
      work.kind = baseline::Kind::small_filter;
      break;
    case Kind::small_chain:
      work.kind = baseline::Kind::smoothing_chain;
      work.sigmas = scales_of_small_chain(choice);
      break;
    case Kind::wide_and_tall:
      work.kind = baseline::Kind::wide_and_tall;
      break;
    case Kind::template_bank:
    case Kind::template_pictures:
    case Kind::template_search:
    case Kind::fetched_templates:
    case Kind::fetched_derivatives:
    case Kind::derivatives_of_templates:
    case Kind::stack:
    case Kind::template_chain:
      return std::nullopt;
  }
  return work;
}

/// Ranks that it leaves idle, of a number or of an image that the program goes on with.
bool tells_others(const Plan& plan) {
  return std::ranges::any_of(plan.steps, [](const PlanStep& step) { return step.messages > 0; });
}

/// Without a pause between the runs: a node's share of a core comes in slices, and what one run has borrowed of the
/// next slice, the next run pays. What was saved in the pause before is used up by runs that are not timed, and what
/// the last one borrows nobody pays. `once` yields the results of a run, which live until the next one is done: a
/// program does not write its images where it has just written others, which a cache still holds.
template <class Once>
double seconds_of_run(const Communicator& communicator, const Repeats& repeats, const Once& once) {
  communicator.barrier();
  decltype(once()) results;
  for (int i = 0; i < repeats.warm_up; ++i) results = once();
  const double start_s = now_s();
  for (int i = 0; i < repeats.timed; ++i) results = once();
  communicator.barrier();
  return (now_s() - start_s) / repeats.timed;
}

}  // namespace

Repeats repeats_for(double expected_s, double window_s) {
  constexpr double most = 1e4;
  constexpr double timed_per_warm_up = 5;
  constexpr double fewest_warm_ups = 2;  // each of which takes memory of its own for what it makes
  constexpr double shortest_s = 1e-6;
  const double timed = std::clamp(std::ceil(window_s / std::max(expected_s, shortest_s)), 1.0, most);
  const double warm_up = timed > 1 ? std::max(fewest_warm_ups, std::ceil(timed / timed_per_warm_up)) : 0;
  return {static_cast<int>(warm_up), static_cast<int>(timed)};
}

std::vector<int> rival_ranks(const Case& contested, const std::vector<int>& rank_counts) {
  const std::optional<baseline::Work> work = rival_work(contested.pipeline);
  if (!work) return {};
  const int most = baseline::most_ranks(*work, static_cast<int>(contested.image.height));
  std::vector<int> possible;
  std::ranges::copy_if(rank_counts, std::back_inserter(possible), [&](int ranks) { return ranks <= most; });
  return possible;
}

/// What all ranks do next.
struct Contest::Order {
  enum class What { end, plan, rival, plan_separately, rival_separately } what = What::end;
  std::size_t index = 0;
  Repeats repeats;
};

Contest::Contest(const Case& contested, const std::vector<Plan>& plans, const std::vector<int>& rival_ranks,
                 const Communicator& communicator, std::vector<const Communicator*> ranks_of_plans)
    : communicator_(communicator),
      ranks_of_plans_(std::move(ranks_of_plans)),
      pipeline_(record_choice(contested.pipeline, contested.image)),
      work_(rival_work(contested.pipeline).value_or(baseline::Work())) {
  plans_ = on_all_ranks(plans, communicator);
  if (communicator.is_root()) pixels_ = test_pixels(contested.image);
  std::string ranks_text;
  for (const int ranks : rival_ranks) ranks_text += fmt::format("{} ", ranks);
  std::istringstream stream(communicator.broadcast(ranks_text));
  MPI_Comm comm = communicator.implementation().comm;
  for (int ranks = 0; stream >> ranks;) {
    rivals_.push_back(std::make_unique<baseline::RowStrips>(comm, ranks));
    rivals_in_phases_.push_back(
        std::make_unique<baseline::RowStrips>(comm, ranks, baseline::Options{baseline::Waiting::polite, true}));
  }
}

const Communicator& Contest::ranks_of(std::size_t plan) const {
  return ranks_of_plans_.empty() ? communicator_ : *ranks_of_plans_[plan];
}

Contest::~Contest() {
  if (communicator_.is_root()) call({});
}

void Contest::call(const Order& order) {
  (void)communicator_.broadcast(fmt::format("{} {} {} {}", static_cast<int>(order.what), order.index,
                                            order.repeats.warm_up, order.repeats.timed));
}

void Contest::serve() {
  while (true) {
    std::istringstream stream(communicator_.broadcast({}));
    int what = 0;
    Order order;
    stream >> what >> order.index >> order.repeats.warm_up >> order.repeats.timed;
    order.what = static_cast<Order::What>(what);
    if (order.what == Order::What::end) return;
    (void)obey(order);
  }
}

/// Nobody else is needed, so nobody's barriers are waited for. The others rest, as in a run, for the root's threads may
/// have their cores.
double Contest::run_on_root_alone(const Plan& plan, const Repeats& repeats) const {
  std::optional<Rest> rest;
  if (!communicator_.is_root()) rest.emplace(communicator_);
  double seconds = 0;
  if (communicator_.is_root()) {
    const Communicator alone = Communicator::alone();
    const ExecutablePlan executable(plan, pipeline_, alone);
    seconds = seconds_of_run(alone, repeats, [&] { return executable.execute(); });
  }
  communicator_.barrier();
  return seconds;
}

/// Root; empty elsewhere.
cv::Mat Contest::rival_image() {
  if (pixels_.empty()) return {};
  const Rect area = pixels_.area();
  return {static_cast<int>(area.height()), static_cast<int>(area.width()), CV_32F, pixels_.at<float>(0, 0)};
}

RivalTimes Contest::rival_phases(std::size_t index, int warm_up) {
  const cv::Mat image = rival_image();
  baseline::Times mine;
  for (int i = 0; i <= warm_up; ++i) (void)rivals_in_phases_[index]->run(work_, image, &mine);
  const baseline::Times times = rivals_in_phases_[index]->slowest(mine);
  return {times.scatter_s + times.exchange_s + times.gather_s, times.total_s};
}

double Contest::obey(const Order& order) {
  switch (order.what) {
    case Order::What::plan: {
      const Plan& plan = plans_[order.index];
      if (plan.ranks == 1 && !tells_others(plan)) return run_on_root_alone(plan, order.repeats);
      const Communicator& ranks = ranks_of(order.index);
      if (order.repeats.timed == 1 && order.repeats.warm_up == 0)
        return execute(plan, pipeline_, ranks).trace.measured_seconds;
      // The root has the results of one run before it begins the next; what it tells others may still be on its way.
      const ExecutablePlan executable(plan, pipeline_, ranks);
      return seconds_of_run(communicator_, order.repeats, [&] { return executable.execute({.timing = Timing::none}); });
    }
    case Order::What::rival: {
      const cv::Mat image = rival_image();
      return seconds_of_run(communicator_, order.repeats, [&] {
        baseline::Times times;
        return rivals_[order.index]->run(work_, image, &times);
      });
    }
    case Order::What::plan_separately:
      measured_ = run_in_steps({plans_[order.index], pipeline_, ranks_of(order.index)}, order.repeats.warm_up);
      return 0;
    case Order::What::rival_separately:
      rival_times_ = rival_phases(order.index, order.repeats.warm_up);
      return 0;
    case Order::What::end:
      break;
  }
  throw InternalError("the contest has ended");
}

double Contest::run_plan(std::size_t plan, const Repeats& repeats) {
  const Order order{Order::What::plan, plan, repeats};
  call(order);
  return obey(order);
}

double Contest::run_rival(std::size_t index, const Repeats& repeats) {
  const Order order{Order::What::rival, index, repeats};
  call(order);
  return obey(order);
}

Plan Contest::run_separately(std::size_t plan, int warm_up) {
  const Order order{Order::What::plan_separately, plan, {warm_up, 1}};
  call(order);
  (void)obey(order);
  return measured_;
}

RivalTimes Contest::run_rival_separately(std::size_t index, int warm_up) {
  const Order order{Order::What::rival_separately, index, {warm_up, 1}};
  call(order);
  (void)obey(order);
  return rival_times_;
}

}  // namespace tilewright::regret
