#include "cores.hpp"

#include <sched.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>

namespace tilewright {
namespace {

/// The path of this process's group in the hierarchy of `controller` ("" is version 2).
std::optional<std::string> group_path(const std::string& controller) {
  std::ifstream file("/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    std::istringstream controllers(line.substr(first + 1, second - first - 1));
    if (controller.empty() && second == first + 1) return line.substr(second + 1);
    for (std::string name; std::getline(controllers, name, ',');) {
      if (name == controller) return line.substr(second + 1);
    }
  }
  return std::nullopt;
}

struct Quota {
  double cores = 0;
  double period_s = 0;
};

/// As the files have it: microseconds.
std::optional<Quota> quota_of(double quota_us, double period_us) {
  if (quota_us <= 0 || period_us <= 0) return std::nullopt;
  return Quota{quota_us / period_us, period_us * 1e-6};
}

std::optional<Quota> quota_version_1() {
  const auto path = group_path("cpu");
  if (!path) return std::nullopt;
  for (const std::string root : {"/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu,cpuacct"}) {
    std::ifstream quota_file(root + *path + "/cpu.cfs_quota_us");
    std::ifstream period_file(root + *path + "/cpu.cfs_period_us");
    double quota = -1, period = 0;
    if (quota_file >> quota && period_file >> period) return quota_of(quota, period);
  }
  return std::nullopt;
}

std::optional<Quota> quota_version_2() {
  const auto path = group_path("");
  if (!path) return std::nullopt;
  std::ifstream file("/sys/fs/cgroup" + *path + "/cpu.max");
  double quota = 0, period = 0;  // "max" is no number: no quota
  if (file >> quota >> period) return quota_of(quota, period);
  return std::nullopt;
}

}  // namespace

std::string cores_of_this_thread() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  if (sched_getaffinity(0, sizeof(cores), &cores) != 0) CPU_SET(0, &cores);
  std::string mask;
  for (int core = 0; core < CPU_SETSIZE; ++core) mask += CPU_ISSET(core, &cores) ? '1' : '0';
  mask.erase(mask.find_last_of('1') + 1);
  return mask;
}

CoreShare share_of_this_process() {
  CoreShare share;
  share.mask = cores_of_this_thread();
  for (const auto& quota : {quota_version_1(), quota_version_2()}) {
    if (!quota || quota->cores >= share.quota) continue;
    share.quota = quota->cores;
    share.period_s = quota->period_s;
  }
  return share;
}

bool run_on(const std::string& mask) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  for (std::size_t core = 0; core < mask.size() && core < CPU_SETSIZE; ++core) {
    if (mask[core] == '1') CPU_SET(core, &cores);
  }
  return sched_setaffinity(0, sizeof(cores), &cores) == 0;
}

double CoreShare::cores() const {
  return std::min(quota, static_cast<double>(std::count(mask.begin(), mask.end(), '1')));
}

std::string united(const std::string& mask_a, const std::string& mask_b) {
  std::string mask(std::max(mask_a.size(), mask_b.size()), '0');
  for (std::size_t i = 0; i < mask.size(); ++i) {
    if ((i < mask_a.size() && mask_a[i] == '1') || (i < mask_b.size() && mask_b[i] == '1')) mask[i] = '1';
  }
  return mask;
}

}  // namespace tilewright
