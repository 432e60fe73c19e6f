// The subcommands of the tilewright command. Each adds itself to the command line and does its work when chosen.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "tilewright/runtime/communicator.hpp"

namespace tilewright::command {

/// Filled in by the subcommand that was chosen; returns the exit status.
using Action = std::function<int()>;

void add_calibrate(CLI::App& app, Action& action);
void add_predict(CLI::App& app, Action& action);
/// Of the `program` that followed "--", if any did; the same of verify.
void add_plan(CLI::App& app, Action& action, std::vector<std::string> program);
void add_db(CLI::App& app, Action& action);
void add_compare(CLI::App& app, Action& action);
void add_verify(CLI::App& app, Action& action, std::vector<std::string> program);
void add_doctor(CLI::App& app, Action& action);

/// Starts the ranks and returns what `work` does on them. What one of them throws ends them all with its message and
/// status, before the others can miss it.
int with_ranks(const std::function<int(const Communicator&)>& work);

/// `action` on the first process of mpiexec; the others have nothing to do. For what is done once, whoever starts it.
[[nodiscard]] Action on_first_rank(Action action);

/// --db, alike everywhere.
void add_database_option(CLI::App& app, std::string& database);
/// --format text|json.
void add_format_option(CLI::App& app, std::string& format);

}  // namespace tilewright::command
