// tilewright doctor: is everything here that a run needs?
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

#include "subcommand.hpp"
#include "tilewright/benchdb/store.hpp"
#include "tilewright/calibrate/calibrate.hpp"
#include "tilewright/core/error.hpp"
#include "tilewright/core/units.hpp"
#include "tilewright/imgops/simd.hpp"
#include "tilewright/runtime/communicator.hpp"

namespace tilewright::command {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::string database, format = "text";
  bool join = false;
};

enum class Verdict { ok, warning, failure };

struct Finding {
  Verdict verdict;
  std::string what;
  std::string detail;
};

std::string_view to_string(Verdict verdict) {
  return verdict == Verdict::ok ? "ok" : verdict == Verdict::warning ? "warning" : "failure";
}

/// What a command prints, and its exit status.
std::pair<std::string, int> output_of(const std::string& command) {
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return {"", 127};
  std::string text;
  std::array<char, 256> buffer{};
  while (std::fgets(buffer.data(), buffer.size(), pipe) != nullptr) text += buffer.data();
  const int status = pclose(pipe);
  return {text, WIFEXITED(status) ? WEXITSTATUS(status) : 1};
}

Finding machine() {
  const Fingerprint f = fingerprint_of(Communicator::alone());
  return {Verdict::ok, "machine",
          fmt::format("{}: {}, {} cores, {}", f.host, f.processor, f.cores_per_node, format_bytes(f.memory_per_node))};
}

Finding vectors() {
  return {Verdict::ok, "vector level", std::string(tilewright::to_string(best_simd_level()))};
}

/// Starts two ranks of this very program and sees whether they find each other.
Finding ranks() {
  const std::string self = fs::read_symlink("/proc/self/exe").string();
  for (const char* mpiexec : {"mpiexec.mpich", "mpiexec"}) {
    const auto [text, status] = output_of(fmt::format("timeout 60 {} -n 2 '{}' doctor --join 2>&1", mpiexec, self));
    if (status == 127) continue;
    if (status == 0 && text.find("ranks=2") != std::string::npos) {
      return {Verdict::ok, "mpiexec", fmt::format("{} starts ranks that find each other", mpiexec)};
    }
    return {Verdict::failure, "mpiexec",
            fmt::format("{} -n 2 ended with status {}: {}; use the mpiexec of MPICH", mpiexec, status, text)};
  }
  return {Verdict::failure, "mpiexec", "not found: install the package mpich"};
}

Finding database(const Options& options) {
  const fs::path path = default_database(options.database);
  if (!has_database(path)) {
    return {Verdict::warning, "database",
            fmt::format("{} does not exist yet, or is empty: run mpiexec -n 2 tilewright calibrate", path.string())};
  }
  try {
    const Store store(path, OpenMode::existing);
    const std::vector<std::string> problems = store.check();
    if (!problems.empty())
      return {Verdict::failure, "database", fmt::format("{}: {}", path.string(), problems.front())};
    const std::string host = fingerprint_of(Communicator::alone()).host;
    if (!store.profile_of_host(host)) {
      return {Verdict::warning, "database",
              fmt::format("{} has {} machines, but not {}: run mpiexec -n 2 tilewright calibrate", path.string(),
                          store.machines().size(), host)};
    }
    return {Verdict::ok, "database", fmt::format("{} with {} machines", path.string(), store.machines().size())};
  } catch (const Error& error) {
    return {Verdict::failure, "database", error.what()};
  }
}

Finding shared_memory() {
  std::error_code error;
  const fs::space_info space = fs::space("/dev/shm", error);
  const auto available = static_cast<std::int64_t>(space.available);
  if (error) return {Verdict::warning, "shared memory", "/dev/shm is missing: ranks of one node will be slow"};
  const Verdict verdict = available < (std::int64_t{64} << 20) ? Verdict::warning : Verdict::ok;
  return {verdict, "shared memory", fmt::format("{} free in /dev/shm", format_bytes(available))};
}

/// Of the messages between nodes.
Finding congestion_control() {
  std::string name;
  std::ifstream("/proc/sys/net/ipv4/tcp_congestion_control") >> name;
  if (name.empty()) return {Verdict::ok, "TCP", "the kernel does not tell its congestion control"};
  if (name != "bbr") return {Verdict::ok, "TCP", fmt::format("congestion control {}", name)};
  return {Verdict::warning, "TCP",
          "congestion control bbr, which paces by trial: between nodes the same message takes twice as long as before, "
          "and no cost model can tell; on all nodes, sysctl net.ipv4.tcp_congestion_control=cubic"};
}

int run(const Options& options) {
  if (options.join) {
    Communicator communicator = Communicator::start();
    communicator.barrier();
    if (communicator.is_root()) fmt::print("ranks={}\n", communicator.ranks());
    communicator.finish();
    return 0;
  }
  const std::vector<Finding> findings{machine(),        vectors(), ranks(), shared_memory(), congestion_control(),
                                      database(options)};
  bool healthy = true;
  nlohmann::json json{{"schema", "tilewright.doctor/1"}, {"findings", nlohmann::json::array()}};
  for (const Finding& finding : findings) {
    healthy = healthy && finding.verdict != Verdict::failure;
    json["findings"].push_back(
        {{"verdict", to_string(finding.verdict)}, {"what", finding.what}, {"detail", finding.detail}});
    if (options.format == "text") {
      fmt::print("{:<8} {:<14} {}\n", to_string(finding.verdict), finding.what, finding.detail);
    }
  }
  json["healthy"] = healthy;
  if (options.format == "json") fmt::print("{}\n", json.dump(2));
  return healthy ? 0 : 1;
}

}  // namespace

void add_doctor(CLI::App& app, Action& action) {
  auto* command = app.add_subcommand("doctor", "check that this machine has what a run needs");
  auto options = std::make_shared<Options>();
  add_database_option(*command, options->database);
  add_format_option(*command, options->format);
  command->add_flag("--join", options->join, "join the ranks of mpiexec and tell how many there are")->group("");
  command->callback([options, &action] {
    action = [options] { return run(*options); };
    if (!options->join) action = on_first_rank(action);
  });
}

}  // namespace tilewright::command
