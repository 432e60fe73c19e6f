// Writes that follow each other are done at the same time by the threads of a rank.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "support/mpi_environment.hpp"
#include "support/test_pipeline.hpp"
#include "tilewright/core/error.hpp"
#include "tilewright/runtime/executor.hpp"
#include "tilewright/scheduler/planner.hpp"

namespace tilewright {
namespace {

/// Where threads meet: whoever comes waits a while for another.
class Meeting {
 public:
  explicit Meeting(std::chrono::milliseconds patience) : patience_(patience) {}
  void attend() {
    std::unique_lock lock(mutex_);
    most_ = std::max(most_, ++present_);
    changed_.notify_all();
    changed_.wait_for(lock, patience_, [&] { return most_ > 1; });
    --present_;
  }
  /// The most that were there at a time.
  [[nodiscard]] int most() const { return most_; }

 private:
  std::chrono::milliseconds patience_;
  std::mutex mutex_;
  std::condition_variable changed_;
  int present_ = 0;
  int most_ = 0;
};

class SinkWithAction final : public Sink {
 public:
  SinkWithAction(std::string name, std::function<void()> action) : name_(std::move(name)), action_(std::move(action)) {}
  [[nodiscard]] std::string describe() const override { return name_; }
  [[nodiscard]] std::vector<Work> work(const ImageShape& /*image*/) const override { return {}; }
  [[nodiscard]] std::int64_t scratch_bytes(const ImageShape& /*image*/) const override { return 1000; }
  void check(const ImageShape& /*image*/) const override {}
  void check_writable() const override {}
  void store(const ConstView& /*image*/) const override { action_(); }

 private:
  std::string name_;
  std::function<void()> action_;
};

Pipeline writes(const std::vector<std::function<void()>>& actions) {
  const Image in = test::source();
  std::vector<OutputRequest> outputs;
  for (const auto& action : actions) {
    const std::string name = "sink" + std::to_string(outputs.size());
    outputs.push_back({OutputKind::write, in, std::make_shared<SinkWithAction>(name, action), nullptr});
  }
  return record(outputs);
}

Trace run(const Pipeline& pipeline, int threads, bool analyze = false) {
  const Plan plan = sequential_plan(pipeline, threads);
  const Trace trace =
      execute(plan, pipeline, Communicator::alone(), {.timing = analyze ? Timing::each_step : Timing::whole}).trace;
  if (!analyze) {
    EXPECT_EQ(trace.peak_bytes.front(), plan.root_bytes);
  }
  return trace;
}

TEST(ConcurrentWrites, AreDoneAtTheSameTime) {
  if (!test::world().is_root() || std::thread::hardware_concurrency() < 2) return;
  Meeting meeting(std::chrono::seconds(20));
  const auto attend = [&] { meeting.attend(); };
  (void)run(writes({attend, attend, attend}), 2);
  EXPECT_EQ(meeting.most(), 2);
}

TEST(ConcurrentWrites, AreDoneOneByOneByOneThreadAndWhereStepsAreTimed) {
  if (!test::world().is_root()) return;
  Meeting meeting(std::chrono::milliseconds(50));
  const auto attend = [&] { meeting.attend(); };
  (void)run(writes({attend, attend}), 1);
  EXPECT_EQ(meeting.most(), 1);
  const Trace trace = run(writes({attend, attend}), 2, true);
  EXPECT_EQ(meeting.most(), 1);
  for (const PlanStep& step : trace.plan.steps) EXPECT_TRUE(step.measured_seconds.has_value());
}

TEST(ConcurrentWrites, AreAllWaitedForAndTheFirstFailureIsTold) {
  if (!test::world().is_root()) return;
  std::atomic<int> stored = 0;
  const auto store = [&] { ++stored; };
  const auto fail_late = [] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    throw RuntimeError("the second");
  };
  const auto fail = [] { throw RuntimeError("the third"); };
  const Pipeline pipeline = writes({store, fail_late, fail, store});
  try {
    (void)run(pipeline, 2);
    ADD_FAILURE() << "nothing failed";
  } catch (const RuntimeError& error) {
    EXPECT_STREQ(error.what(), "the second");
  }
  EXPECT_EQ(stored, 2);
}

}  // namespace
}  // namespace tilewright
