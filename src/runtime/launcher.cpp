#include "launcher.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>

#include "tilewright/runtime/communicator.hpp"

namespace tilewright {
namespace {

int number_in(const char* variable) {
  const char* value = std::getenv(variable);
  return value == nullptr ? 0 : std::atoi(value);
}

bool is_set(const char* variable) {
  return std::getenv(variable) != nullptr;
}

/// A step of srun, as opposed to the batch script itself or an interactive shell, which run once.
bool in_slurm_step() {
  const char* step = std::getenv("SLURM_STEP_ID");
  return step != nullptr && std::strlen(step) < 9;  // the special steps have numbers near 2^32
}

struct Process {
  pid_t parent = 0;
  std::string command;
};

Process process_of(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  std::getline(file, text);
  const std::size_t open = text.find('(');
  const std::size_t close = text.rfind(')');
  if (open == std::string::npos || close == std::string::npos) return {};
  Process process;
  process.command = text.substr(open + 1, close - open - 1);
  std::istringstream rest(text.substr(close + 1));
  std::string state;
  rest >> state >> process.parent;
  return process;
}

/// The daemon that an MPI's launcher puts above its ranks.
bool is_launcher(const std::string& command) {
  static constexpr std::array<const char*, 6> names{"hydra_pmi_proxy", "orted",  "prted",
                                                    "prterun",         "mpirun", "mpiexec"};
  return std::any_of(names.begin(), names.end(), [&](const char* name) { return command.starts_with(name); });
}

}  // namespace

bool started_by_launcher() {
  static constexpr std::array<const char*, 5> variables{"PMI_FD", "PMI_RANK", "PMI_PORT", "PMIX_RANK", "PMI2_SIZE"};
  return std::any_of(variables.begin(), variables.end(), is_set) || promised_ranks() || is_below_a_launcher();
}

std::optional<int> promised_ranks() {
  if (is_set("PMI_SIZE")) return number_in("PMI_SIZE");  // of the launcher nearest to this process
  std::optional<int> most;
  for (const char* variable :
       {"MPI_LOCALNRANKS", "OMPI_COMM_WORLD_SIZE", "MV2_COMM_WORLD_SIZE", "FLUX_JOB_SIZE", "PALS_LOCAL_SIZE"}) {
    if (is_set(variable)) most = std::max(most.value_or(1), number_in(variable));
  }
  if (in_slurm_step()) most = std::max(most.value_or(1), number_in("SLURM_STEP_NUM_TASKS"));
  return most;
}

bool is_below_a_launcher() {
  for (pid_t pid = process_of(getpid()).parent; pid > 1;) {
    const Process process = process_of(pid);
    if (is_launcher(process.command)) return true;
    pid = process.parent;
  }
  return false;
}

bool should_have_company() {
  const std::optional<int> promised = promised_ranks();
  return promised ? *promised > 1 : is_below_a_launcher();
}

}  // namespace tilewright
