#include "disturbance.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <string>

namespace tilewright {
namespace {

constexpr double tolerated_share = 0.05;
constexpr double switches_a_second = 100;

/// The eighth number of the first line of /proc/stat, in clock ticks.
double stolen_seconds() {
  std::ifstream file("/proc/stat");
  std::string word;
  double ticks = 0;
  file >> word;
  for (int i = 0; i < 8 && file; ++i) file >> ticks;
  return file ? ticks / static_cast<double>(::sysconf(_SC_CLK_TCK)) : 0;
}

}  // namespace

Disturbance disturbance_so_far() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return {stolen_seconds(), usage.ru_nivcsw};
}

bool DisturbanceWatch::was_disturbed(double elapsed_s) {
  if (!owns_core_) return false;
  const Disturbance now = disturbance_so_far();
  const double stolen_s = now.stolen_s - before_.stolen_s;
  const auto switches = static_cast<double>(now.involuntary_switches - before_.involuntary_switches);
  before_ = now;
  return stolen_s > tolerated_share * elapsed_s || switches > 1 + switches_a_second * elapsed_s;
}

}  // namespace tilewright
