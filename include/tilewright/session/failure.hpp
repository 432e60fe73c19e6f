// How a program that fails ends: one message, the right status, all ranks stopped.
#pragma once

#include <exception>

namespace tilewright {

/// From now on an exception that nobody catches ends the program (and all of its ranks) with a message on standard
/// error and the status of its class, instead of an abort. Called by Session.
void install_failure_handler();

/// Prints `error` as a message and ends the program, and all of its ranks, with its status.
[[noreturn]] void fail(const std::exception& error);

/// The launcher's word for this process's rank, 0 without one. Before MPI is started, or in whatever state it is.
[[nodiscard]] int launched_rank();

}  // namespace tilewright
