#include "tilewright/session/failure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "tilewright/core/error.hpp"
#include "tilewright/runtime/communicator.hpp"

namespace tilewright {
namespace {

[[noreturn]] void end(const char* message, int status) {
  if (!started_by_launcher()) {
    fmt::print(stderr, "tilewright: error: {}\n", message);
    std::fflush(nullptr);
    std::_Exit(status);
  }
  // An error that all ranks meet is told by rank 0 alone: the others give it the time to end them.
  const int rank = launched_rank();
  if (rank > 0) std::this_thread::sleep_for(std::chrono::milliseconds(1000 + std::min(2000, 20 * rank)));
  const std::string where = rank > 0 ? fmt::format(" (rank {})", rank) : std::string();
  fmt::print(stderr, "tilewright: error{}: {}\n", where, message);
  std::fflush(nullptr);
  abort_run(status);
}

[[noreturn]] void on_terminate() {
  try {
    if (const std::exception_ptr exception = std::current_exception()) std::rethrow_exception(exception);
  } catch (const std::exception& error) {
    fail(error);
  } catch (...) {
    end("an exception of an unknown kind", 1);
  }
  end("the program was terminated", 1);
}

}  // namespace

int launched_rank() {
  const char* rank = std::getenv("PMI_RANK");
  return rank == nullptr ? 0 : std::atoi(rank);
}

void install_failure_handler() {
  std::set_terminate(on_terminate);
}

void fail(const std::exception& error) {
  end(error.what(), exit_status(error));
}

}  // namespace tilewright
