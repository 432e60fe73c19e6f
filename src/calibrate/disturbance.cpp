#include "disturbance.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <optional>
#include <string>

#include "control_groups.hpp"
#include "stopwatch.hpp"

namespace tilewright {
namespace {

constexpr double tolerated_share = 0.05;
constexpr double switches_a_second = 100;

/// The eighth number of the file's first line, in clock ticks.
double stolen_seconds(const std::filesystem::path& processors) {
  std::ifstream file(processors);
  std::string word;
  double ticks = 0;
  file >> word;
  for (int i = 0; i < 8 && file; ++i) file >> ticks;
  return file ? ticks / static_cast<double>(::sysconf(_SC_CLK_TCK)) : 0;
}

std::optional<long> throttled_periods(const std::filesystem::path& throttling) {
  std::ifstream file(throttling);
  std::string name;
  for (long count = 0; file >> name >> count;) {
    if (name == "nr_throttled") return count;
  }
  return std::nullopt;
}

/// Of this process's group; empty if there is none.
std::filesystem::path throttling_file(const std::filesystem::path& root) {
  for (const ControlGroup& known : control_groups(root)) {
    if (!known.is_version_2() && !known.has_controller("cpu")) continue;
    const std::filesystem::path groups = root / "sys/fs/cgroup";
    const std::filesystem::path own = known.group.relative_path() / "cpu.stat";
    for (const auto& hierarchy : {groups, groups / "cpu", groups / "cpu,cpuacct"}) {
      if ((hierarchy == groups) == known.is_version_2() && throttled_periods(hierarchy / own)) return hierarchy / own;
    }
  }
  return {};
}

long involuntary_switches() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_nivcsw;
}

}  // namespace

/// Ranks that wait politely may be on one core. With a node to itself, a rank does so for want of a whole core.
Switches switches_of(const Communicator& communicator) {
  const bool is_rationed = communicator.ration_period_s() > 0;
  const bool owns_core = communicator.wait_policy() == WaitPolicy::fast;
  if (!owns_core && !(is_rationed && communicator.ranks_per_node() == 1)) return Switches::own;
  return is_rationed ? Switches::beyond_ration : Switches::foreign;
}

bool is_disturbed(const Disturbance& taken, double elapsed_s, Switches switches) {
  if (taken.stolen_s > tolerated_share * elapsed_s) return true;
  if (switches == Switches::own) return false;
  const long explained = switches == Switches::beyond_ration ? taken.throttled : 0;
  return static_cast<double>(taken.involuntary_switches - explained) > 1 + switches_a_second * elapsed_s;
}

DisturbanceWatch::DisturbanceWatch(Switches switches, const std::filesystem::path& root)
    : processors_(root / "proc/stat"), switches_(switches) {
  if (switches_ == Switches::beyond_ration) throttling_ = throttling_file(root);
  if (switches_ == Switches::beyond_ration && throttling_.empty()) switches_ = Switches::own;
  begin();
}

void DisturbanceWatch::begin() {
  before_ = so_far();
  begin_s_ = now_s();
}

bool DisturbanceWatch::was_disturbed() const {
  const double elapsed_s = now_s() - begin_s_;
  const Disturbance now = so_far();
  return is_disturbed({now.stolen_s - before_.stolen_s, now.involuntary_switches - before_.involuntary_switches,
                       now.throttled - before_.throttled},
                      elapsed_s, switches_);
}

Disturbance DisturbanceWatch::so_far() const {
  const long throttled = throttling_.empty() ? 0 : throttled_periods(throttling_).value_or(0);
  return {stolen_seconds(processors_), involuntary_switches(), throttled};
}

}  // namespace tilewright
