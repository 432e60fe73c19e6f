// tilewright: measures machines, predicts transfers, plans programs, keeps the database.
#include <exception>
#include <utility>

#include "../program_options.hpp"
#include "command_line.hpp"
#include "subcommand.hpp"
#include "tilewright/core/standard_output.hpp"
#include "tilewright/session/failure.hpp"

namespace tilewright::command {

int with_ranks(const std::function<int(const Communicator&)>& work) {
  Communicator communicator = Communicator::start();
  try {
    const int status = work(communicator);
    communicator.finish();
    return status;
  } catch (const std::exception& error) {
    fail(error);
  }
}

Action on_first_rank(Action action) {
  return [action = std::move(action)] { return launched_rank() == 0 ? action() : 0; };
}

void add_database_option(CLI::App& app, std::string& database) {
  app.add_option("--db", database, "database (default: TILEWRIGHT_DB, else in $XDG_DATA_HOME/tilewright)");
}

void add_format_option(CLI::App& app, std::string& format) {
  app.add_option("--format", format, "text or json")->check(CLI::IsMember({"text", "json"}));
}

}  // namespace tilewright::command

int main(int argc, char** argv) {
  using namespace tilewright;
  install_failure_handler();
  try {
    CLI::App app("Tilewright: cuts image pipelines over a cluster, says why, and predicts how long it takes",
                 "tilewright");
    app.require_subcommand(1);
    command::CommandLine line = command::command_line(argc, argv);
    command::Action action;
    command::add_calibrate(app, action);
    command::add_predict(app, action);
    command::add_plan(app, action, line.program);
    command::add_db(app, action);
    command::add_compare(app, action);
    command::add_verify(app, action, line.program);
    command::add_doctor(app, action);
    if (!parse_arguments(app, std::move(line.own), launched_rank() == 0)) return 0;
    const int status = action();
    check_printed();
    return status;
  } catch (const std::exception& error) {
    fail(error);
  }
}
