#include <hwloc.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <memory>
#include <string_view>

#include "launch_settings.hpp"
#include "memory_limit.hpp"
#include "tilewright/calibrate/calibrate.hpp"
#include "tilewright/core/date.hpp"
#include "tilewright/imgops/simd.hpp"
#include "tilewright/runtime/mpi_library.hpp"

namespace tilewright {
namespace {

/// The hardware as hwloc sees it: what a control group forbids is left out.
class Topology {
 public:
  Topology() {
    hwloc_topology_t topology = nullptr;
    if (hwloc_topology_init(&topology) != 0) return;
    topology_.reset(topology);
    if (hwloc_topology_load(topology) != 0) topology_.reset();
  }

  /// 0 if not known.
  [[nodiscard]] int cores() const {
    if (!topology_) return 0;
    const int cores = hwloc_get_nbobjs_by_type(topology_.get(), HWLOC_OBJ_CORE);
    return cores > 0 ? cores : std::max(0, hwloc_get_nbobjs_by_type(topology_.get(), HWLOC_OBJ_PU));
  }

  /// Empty if not known.
  [[nodiscard]] std::string processor() const {
    const hwloc_obj_t package = topology_ ? hwloc_get_obj_by_type(topology_.get(), HWLOC_OBJ_PACKAGE, 0) : nullptr;
    const char* model = package != nullptr ? hwloc_obj_get_info_by_name(package, "CPUModel") : nullptr;
    return model != nullptr ? model : "";
  }

 private:
  struct Destroy {
    void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
  };
  std::unique_ptr<hwloc_topology, Destroy> topology_;
};

std::string model_in_cpuinfo() {
  std::ifstream cpuinfo("/proc/cpuinfo");
  for (std::string line; std::getline(cpuinfo, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return {};
}

int processors_in_affinity() {
  cpu_set_t set;
  CPU_ZERO(&set);
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
}

/// The cores of the node that its ranks may use together. A rank that is bound to some of them does not narrow that,
/// for the others are bound to the rest; a quota of the control group does.
int usable_cores(int cores, double available_to_process, int processors_in_set) {
  const bool has_quota = available_to_process < processors_in_set;
  const int quota = std::max(1, static_cast<int>(std::lround(available_to_process)));
  if (cores == 0) return quota;
  return has_quota ? std::min(cores, quota) : cores;
}

std::map<std::string, std::string> ucx_settings() {
  std::map<std::string, std::string> settings;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    const std::size_t equals = text.find('=');
    if (!text.starts_with(transport_prefix) || equals == std::string_view::npos) continue;
    settings.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return settings;
}

/// With blanks for tabs.
std::string first_line(const std::string& text) {
  std::string line = text.substr(0, text.find_first_of("\r\n"));
  std::replace(line.begin(), line.end(), '\t', ' ');
  return line;
}

}  // namespace

Fingerprint fingerprint_of(const Communicator& communicator) {
  const Topology topology;
  Fingerprint fingerprint;
  fingerprint.host = node_name();
  fingerprint.processor = topology.processor().empty() ? model_in_cpuinfo() : topology.processor();
  fingerprint.cores_per_node = usable_cores(topology.cores(), communicator.available_cores(), processors_in_affinity());
  fingerprint.memory_per_node = usable_memory(physical_memory(), "/");
  fingerprint.nodes = communicator.nodes();
  fingerprint.ranks = communicator.ranks();
  fingerprint.mpi = first_line(mpi_library());
  fingerprint.settings = ucx_settings();
  fingerprint.date = date_now();
  fingerprint.simd = to_string(current_simd_level());
  return fingerprint;
}

Fingerprint fingerprint_of(const Communicator& communicator, const CalibrationOptions& options) {
  Fingerprint fingerprint = fingerprint_of(communicator);
  fingerprint.effort = to_string(options.effort);
  fingerprint.settings[sizes_setting] = text_of_sizes(options.sizes);
  return fingerprint;
}

}  // namespace tilewright
