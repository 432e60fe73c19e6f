// tilewright plan: what a program would do, without doing it.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include "child_program.hpp"
#include "subcommand.hpp"
#include "tilewright/core/error.hpp"
#include "tilewright/core/temporary_folder.hpp"
#include "tilewright/explain/render.hpp"
#include "tilewright/session/options.hpp"

namespace tilewright::command {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::string database, machine, operators_from, nodes, model, objective, node_hours, format = "text", assumed_value;
  std::vector<std::string> assumed;
  std::vector<std::string> command;
  std::vector<std::string> diff;
};

std::string read_text(const fs::path& path) {
  std::ifstream file(path);
  if (!file) throw ParameterError(fmt::format("cannot read the plan {}", path.string()));
  return {std::istreambuf_iterator<char>(file), {}};
}

void set_variable(const std::string& name, const std::string& value) {
  if (!value.empty()) setenv(name.c_str(), value.c_str(), 1);
}

using Variables = std::vector<std::pair<std::string, std::string>>;

/// What the planning was told, and a run has to be told too if it is to plan alike.
Variables variables_of_a_run(const Options& options) {
  return {{session_variable("db"), options.database.empty() ? "" : fs::absolute(options.database).string()},
          {session_variable("machine"), options.machine},
          {session_variable("operators-from"), options.operators_from},
          {session_variable("model"), options.model},
          {session_variable("objective"), options.objective},
          {session_variable("node-hours"), options.node_hours}};
}

void set_variables(const Options& options, const fs::path& result) {
  for (const auto& [name, value] : variables_of_a_run(options)) set_variable(name, value);
  set_variable(session_variable("dry-run"), result.string());
  set_variable(session_variable("nodes"), options.nodes);
  set_variable(session_variable("assume-value"), options.assumed_value);
  std::string assumed;
  for (const std::string& image : options.assumed) assumed += (assumed.empty() ? "" : ";") + image;
  set_variable(session_variable("assume"), assumed);
}

/// Runs the program in a dry run; what it prints goes to standard error. Returns its exit status.
int run_program(const Options& options, const fs::path& result) {
  return run_child(options.command, [&] {
    set_variables(options, result);
    dup2(STDERR_FILENO, STDOUT_FILENO);
  });
}

/// What the program would do on fewer nodes; none if it cannot, as its own words, which nobody hears, would say.
std::optional<std::vector<Plan>> plans_on(int nodes, const NodeCurve& curve, const Options& options,
                                          const fs::path& result) {
  fs::remove(result);
  Options fewer = options;
  fewer.nodes = curve.first == 1 ? std::to_string(nodes) : fmt::format("{}..{}", curve.first, nodes);
  const int status = run_child(options.command, [&] {
    set_variables(fewer, result);
    const int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
  });
  if (status != 0 || !fs::exists(result)) return std::nullopt;
  return plans_from_json(read_text(result));
}

/// Of a program whose segments cannot tell it; it is planned for each count of nodes. None otherwise, and if the
/// program's own arguments say how many nodes there are.
std::optional<NodeCurve> curve_of_program(const std::vector<Plan>& plans, const Options& options,
                                          const fs::path& result) {
  std::optional<NodeCurve> curve = unplanned_curve(plans);
  const bool is_said = std::any_of(options.command.begin(), options.command.end(),
                                   [](const std::string& word) { return word.starts_with("--tw-nodes"); });
  if (!curve || is_said) return std::nullopt;
  for (const int nodes : counts_to_plan(*curve, plans)) {
    const auto planned = nodes == curve->last ? plans : plans_on(nodes, *curve, options, result);
    if (planned) curve->points.push_back(point_of_program(nodes, *planned));
  }
  return curve;
}

std::string shell_word(const std::string& word) {
  const bool plain = !word.empty() && word.find_first_not_of(
                                          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                          "_-+=./,:@%") == std::string::npos;
  if (plain) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

/// Whether something is said that only the planning of a program heeds.
bool plans_a_program(const Options& options) {
  const bool is_asked = !options.machine.empty() || !options.operators_from.empty() || !options.nodes.empty() ||
                        !options.model.empty() || !options.objective.empty() || !options.node_hours.empty();
  return is_asked || !options.assumed.empty() || !options.assumed_value.empty() || !options.command.empty();
}

int show_diff(const Options& options) {
  if (plans_a_program(options)) {
    throw ParameterError("--diff compares two stored plans: beside it there is no program, and --format alone");
  }
  const std::vector<Plan> a = plans_from_json(read_text(options.diff[0]));
  const std::vector<Plan> b = plans_from_json(read_text(options.diff[1]));
  if (options.format == "json") {
    fmt::print("{}", diff_json(a, b));
    return 0;
  }
  if (options.format != "text") throw ParameterError("two plans are compared as text or json");
  const std::string text = diff(a, b);
  fmt::print("{}", text.empty() ? "the plans are equal\n" : text);
  return 0;
}

int run(const Options& options) {
  if (!options.diff.empty()) return show_diff(options);
  if (options.command.empty()) throw ParameterError("which program? tilewright plan [options] -- APP ARGS...");
  const PlanFormat format = parse_plan_format(options.format);
  const TemporaryFolder folder;
  const fs::path result = folder.path() / "plan.json";
  const int status = run_program(options, result);
  if (status != 0) {
    const std::string ended = fmt::format("{} ended with status {} in its dry run", options.command.front(), status);
    if (status > 2) throw RuntimeError(ended);
    fmt::print(stderr, "tilewright: {}\n", ended);  // a program of a Session has said why
    return status;
  }
  if (!fs::exists(result)) {
    throw ParameterError(
        fmt::format("{} planned nothing: it opened no Session, asked for no result, or left by exit() without closing "
                    "its Session",
                    options.command.front()));
  }
  const std::vector<Plan> plans = plans_from_json(read_text(result));
  BatchJob job;
  job.command.clear();
  for (const std::string& argument : options.command) {
    job.command += (job.command.empty() ? "" : " ") + shell_word(argument);
  }
  for (const auto& [name, value] : variables_of_a_run(options)) {
    if (!value.empty()) job.variables.push_back(fmt::format("{}={}", name, shell_word(value)));
  }
  fmt::print("{}", render(plans, format, job, curve_of_program(plans, options, result)));
  return 0;
}

}  // namespace

void add_plan(CLI::App& app, Action& action, std::vector<std::string> program) {
  auto* command =
      app.add_subcommand("plan", "plan a program without running it: tilewright plan [options] -- APP ARGS...");
  auto options = std::make_shared<Options>();
  add_database_option(*command, options->database);
  command->add_option("--machine", options->machine, "profile to plan with (default: this host's, else the only one)");
  command->add_option("--operators-from", options->operators_from, "take the operators' costs from another profile");
  command->add_option("--nodes", options->nodes,
                      "nodes to choose from: N or A..B, which also tells how many of them pay");
  command->add_option("--model", options->model,
                      "cost model (default: p3pc-stride, or p3pc where the profile knows no blocks)");
  command->add_option("--objective", options->objective, "what to take least of: time (default) or node-hours");
  command->add_option("--node-hours", options->node_hours,
                      "of the plans that take at most so many node-hours, the best one");
  command->add_option("--format", options->format, "text (default), json, dot, html or slurm");
  command->add_option("--assume", options->assumed, "the shape of an input that is absent: NAME=WxH:type[:channels]")
      ->allow_extra_args(false);
  command->add_option("--assume-value", options->assumed_value, "what every reduction yields");
  command->add_option("--diff", options->diff, "compare two stored plans (JSON)")->expected(2);
  command->add_option("APP", options->command, "the program and its arguments, after --");
  command->callback([options, &action, program = std::move(program)] {
    options->command.insert(options->command.end(), program.begin(), program.end());
    action = on_first_rank([options] { return run(*options); });
  });
}

}  // namespace tilewright::command
