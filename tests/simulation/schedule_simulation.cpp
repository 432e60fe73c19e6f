// Runs the product's schedules on ranks that SimGrid simulates, and prints one row of CSV for each: what was sent, how
// long it took in simulated time, and how long P-3PC says that it takes. Started by smpirun.
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <optional>

#include "arguments.hpp"
#include "simulated_profile.hpp"
#include "simulated_transfer.hpp"
#include "tilewright/core/error.hpp"
#include "tilewright/scheduler/cost_model.hpp"

namespace tilewright::simulation {
namespace {

void print(const std::string& line) {
  fmt::print("{}\n", line);
  std::fflush(stdout);
}

/// Every message lies contiguously at both of its ends; only then does simulated time say anything about a prediction.
bool is_contiguous(const Schedule& schedule) {
  for (const Round& round : schedule.rounds) {
    for (const Message& message : round) {
      if (schedule.layout(message) != Layout::cc) return false;
    }
  }
  return true;
}

std::string row(const Arguments& arguments, const Communicator& communicator, const TransferSpec& spec,
                const Outcome& outcome, const std::optional<double>& predicted_s) {
  return fmt::format("{},{},{},{},{},{},{},{:.6g},{}", arguments.platform, communicator.ranks(), to_string(spec.grid),
                     to_string(spec.kind), spec.algorithm ? to_string(*spec.algorithm) : "", outcome.sent.messages,
                     outcome.sent.bytes, outcome.seconds, predicted_s ? fmt::format("{:.6g}", *predicted_s) : "");
}

void check(double predicted_s, double simulated_s, double tolerance) {
  if (std::abs(predicted_s - simulated_s) <= tolerance * simulated_s) return;
  throw RuntimeError(fmt::format("{:.6g} s were predicted, {:.6g} s simulated: more than {:.0f} % apart", predicted_s,
                                 simulated_s, 100 * tolerance));
}

void run(const Arguments& arguments, const Communicator& communicator) {
  const auto model = make_cost_model("p3pc", measure_profile(communicator, arguments.sizes));
  if (communicator.is_root()) {
    print("platform,ranks,grid,operation,algorithm,messages,bytes,simulated_seconds,predicted_seconds");
  }
  for (const TransferSpec& spec : wanted_transfers(arguments, communicator.ranks())) {
    const Schedule schedule = make_schedule(spec);
    const Outcome outcome = simulate(schedule, arguments.fault, communicator);
    if (!communicator.is_root()) continue;
    std::optional<double> predicted_s;
    if (is_contiguous(schedule)) predicted_s = model->transfer_seconds(schedule);
    print(row(arguments, communicator, spec, outcome, predicted_s));
    if (predicted_s && arguments.tolerance) check(*predicted_s, outcome.seconds, *arguments.tolerance);
  }
}

}  // namespace
}  // namespace tilewright::simulation

int main(int argc, char** argv) {
  using namespace tilewright;
  using namespace tilewright::simulation;
  try {
    const Arguments arguments = parse_arguments(argc, argv);
    Communicator communicator = Communicator::start(arguments.mode);
    run(arguments, communicator);
    communicator.finish();
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    abort_run(exit_status(error));
  }
}
