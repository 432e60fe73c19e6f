// tilewright verify: does a program compute the same, bit for bit, however it is cut?
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "child_program.hpp"
#include "subcommand.hpp"
#include "tilewright/core/error.hpp"
#include "tilewright/core/grid.hpp"
#include "tilewright/core/temporary_folder.hpp"
#include "tilewright/session/options.hpp"

namespace tilewright::command {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::string database, machine, ranks = "2..4", mpiexec = "mpiexec.mpich", format = "text";
  std::vector<std::string> command;
};

using Variables = std::vector<std::pair<std::string, std::string>>;

/// One way to cut the work: what is forced.
struct Decomposition {
  int ranks = 1;
  Variables forced;

  [[nodiscard]] std::string name() const {
    std::string text = fmt::format("{} rank{}", ranks, ranks == 1 ? "" : "s");
    for (const auto& [option, value] : forced) text += fmt::format(" {}{}={}", session_option_prefix, option, value);
    return text;
  }
  /// Whether several ranks do have to work; else they may leave all to the root.
  [[nodiscard]] bool is_parallel() const {
    return std::any_of(forced.begin(), forced.end(), [this](const auto& option) {
      return ranks > 1 && (option.first == "grid" || option.first == "turns");
    });
  }
};

/// What a run came to.
struct Outcome {
  int status = 0;
  std::vector<std::string> digests;
  std::string message;  ///< the last line on standard error
};

std::vector<std::string> lines_of(const fs::path& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

/// Each larger than the one before.
std::vector<int> unequal_shares(int parts) {
  std::vector<int> shares;
  for (int part = 0; part < parts; ++part) shares.push_back(2 + part);
  return shares;
}

/// Those of tried_values().
Variables tried(TriedValue::Where where) {
  Variables variables;
  for (const TriedValue& tried : tried_values()) {
    if (tried.where == where) variables.emplace_back(tried.option, tried.value);
  }
  return variables;
}

/// On every grid, on one of each number of ranks, and on whatever grid is planned: what can be forced there.
std::vector<Decomposition> decompositions(const NodeRange& ranks) {
  std::vector<Decomposition> all{{1, {{"threads", "2"}}}};
  for (int count = ranks.first; count <= ranks.last; ++count) {
    const std::vector<ProcessGrid> grids = grids_of(count);
    if (count > 1) {
      for (const ProcessGrid& grid : grids) {
        for (const auto& forced : tried(TriedValue::Where::every_grid)) {
          all.push_back({count, {{"grid", to_string(grid)}, forced}});
        }
      }
      const ProcessGrid& cut = grids[grids.size() / 2];
      for (const auto& forced : tried(TriedValue::Where::one_grid)) {
        all.push_back({count, {{"grid", to_string(cut)}, forced}});
      }
      all.push_back({count, {{"grid", to_string(with_shares(cut, unequal_shares(cut.x), unequal_shares(cut.y)))}}});
      for (const auto& forced : tried(TriedValue::Where::free_grid)) all.push_back({count, {forced}});
    }
    all.push_back({count, {}});  // as it is planned
  }
  return all;
}

/// What no run may be told but by verify: what one of them forces, and what would leave it no choice.
std::set<std::string> options_of_verify(const std::vector<Decomposition>& decompositions) {
  std::set<std::string> names{"ranks", "plan"};
  for (const Decomposition& decomposition : decompositions) {
    for (const auto& forced : decomposition.forced) names.insert(forced.first);
  }
  return names;
}

/// Throws ParameterError if the program's own arguments say otherwise than verify will: they would win.
void check_arguments(const std::vector<std::string>& command, const std::set<std::string>& names) {
  constexpr std::string_view prefix = session_option_prefix;
  const auto end = std::find(command.begin(), command.end(), "--");  // what follows is none of the session's
  for (auto word = command.begin(); word != end; ++word) {
    if (!word->starts_with(prefix) || !names.contains(word->substr(prefix.size(), word->find('=') - prefix.size()))) {
      continue;
    }
    throw ParameterError(
        fmt::format("{}: verify decides that itself, for each way to cut the work; leave it out", *word));
  }
}

/// Of the child: as the option would say.
void set_option(std::string_view option, const std::string& value) {
  setenv(session_variable(option).c_str(), value.c_str(), 1);
}

Outcome run(const Options& options, const std::set<std::string>& own, const Decomposition& decomposition,
            const fs::path& folder) {
  const fs::path digests = folder / "digests";
  const fs::path messages = folder / "messages";
  fs::remove(digests);
  std::vector<std::string> command = options.command;
  if (decomposition.ranks > 1) {
    command.insert(command.begin(), {options.mpiexec, "-n", std::to_string(decomposition.ranks)});
  }
  Outcome outcome;
  outcome.status = run_child(command, [&] {
    if (!options.database.empty()) set_option("db", options.database);
    if (!options.machine.empty()) set_option("machine", options.machine);
    set_option("history", "off");
    set_option("digest", digests.string());
    for (const std::string& option : own) unsetenv(session_variable(option).c_str());
    for (const auto& [option, value] : decomposition.forced) set_option(option, value);
    const int none = open("/dev/null", O_WRONLY);
    const int errors = open(messages.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    dup2(none, STDOUT_FILENO);
    dup2(errors, STDERR_FILENO);
  });
  outcome.digests = lines_of(digests);
  for (const std::string& line : lines_of(messages)) {
    if (line.rfind("tilewright: error: ", 0) == 0) outcome.message = line.substr(sizeof("tilewright: error: ") - 1);
  }
  return outcome;
}

enum class Verdict { identical, different, impossible, failed };

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::identical:
      return "identical";
    case Verdict::different:
      return "different";
    case Verdict::impossible:
      return "not possible";
    case Verdict::failed:
      return "failed";
  }
  throw InternalError("to_string: unknown verdict");
}

/// A run beside the one that it has to equal.
struct Finding {
  std::string decomposition;
  bool is_parallel = false;
  Verdict verdict = Verdict::identical;
  std::string why;
};

/// "L.tif 64x64 f32, segment 1": a line without its digest.
std::string name_of(const std::string& line) {
  return line.substr(line.find(' ') + 1);
}

Finding compare(const Decomposition& decomposition, const Outcome& outcome, const Outcome& reference) {
  Finding finding{decomposition.name(), decomposition.is_parallel(), Verdict::identical, {}};
  // What is forced and cannot be had is refused before anything is computed.
  if (outcome.status == 2 && !decomposition.forced.empty()) {
    finding.verdict = Verdict::impossible;
    finding.why = outcome.message;
  } else if (outcome.status != 0) {
    finding.verdict = Verdict::failed;
    finding.why = fmt::format("status {}: {}", outcome.status, outcome.message);
  } else if (outcome.digests != reference.digests) {
    finding.verdict = Verdict::different;
    const auto [other, own] = std::mismatch(outcome.digests.begin(), outcome.digests.end(), reference.digests.begin(),
                                            reference.digests.end());
    const bool is_there = own != reference.digests.end();
    finding.why = name_of(is_there ? *own : *other);
  }
  return finding;
}

bool is_bad(const Finding& finding) {
  return finding.verdict == Verdict::different || finding.verdict == Verdict::failed;
}

/// Whether several ranks were to work, and none of the ways was possible.
bool lacks_comparison(const std::vector<Finding>& findings) {
  const auto is_parallel = [](const Finding& finding) { return finding.is_parallel; };
  return std::any_of(findings.begin(), findings.end(), is_parallel) &&
         std::none_of(findings.begin(), findings.end(), [](const Finding& finding) {
           return finding.is_parallel && finding.verdict != Verdict::impossible;
         });
}

void print(const std::vector<Finding>& findings, const Outcome& reference, const std::string& format) {
  if (format == "json") {
    nlohmann::json json{{"schema", "tilewright.verify/1"}, {"outputs", reference.digests}};
    json["identical"] = !lacks_comparison(findings) && std::none_of(findings.begin(), findings.end(), is_bad);
    json["runs"] = nlohmann::json::array();
    for (const Finding& finding : findings) {
      json["runs"].push_back(
          {{"decomposition", finding.decomposition}, {"result", to_string(finding.verdict)}, {"why", finding.why}});
    }
    fmt::print("{}\n", json.dump(2));
    return;
  }
  for (const Finding& finding : findings) {
    fmt::print("{:<12}  {}{}{}\n", to_string(finding.verdict), finding.decomposition, finding.why.empty() ? "" : ": ",
               finding.why);
  }
  const auto identical =
      std::count_if(findings.begin(), findings.end(), [](const Finding& f) { return f.verdict == Verdict::identical; });
  const auto bad = std::count_if(findings.begin(), findings.end(), is_bad);
  fmt::print("{} outputs: {} ways to cut the work are bit-identical to one rank, {} are not\n",
             reference.digests.size(), identical, bad);
}

int verify(const Options& options) {
  if (started_by_launcher()) throw ParameterError("verify starts the ranks itself: call it without mpiexec");
  if (options.command.empty()) throw ParameterError("which program? tilewright verify [options] -- APP ARGS...");
  const NodeRange ranks = parse_node_range(options.ranks, "ranks");
  const std::vector<Decomposition> ways = decompositions(ranks);
  const std::set<std::string> own = options_of_verify(ways);
  check_arguments(options.command, own);
  const TemporaryFolder folder;
  const Outcome reference = run(options, own, {1, {{"threads", "1"}}}, folder.path());
  if (reference.status != 0) {
    throw ParameterError(
        fmt::format("{} alone ends with status {}: {}", options.command.front(), reference.status, reference.message));
  }
  if (reference.digests.empty()) {
    throw ParameterError(
        fmt::format("{} computed nothing: it opened no Session, or asked for no result", options.command.front()));
  }
  std::vector<Finding> findings;
  for (const Decomposition& decomposition : ways) {
    fmt::print(stderr, "tilewright: {}\n", decomposition.name());
    findings.push_back(compare(decomposition, run(options, own, decomposition, folder.path()), reference));
  }
  print(findings, reference, options.format);
  if (lacks_comparison(findings)) {
    throw RuntimeError(
        "nothing was compared: no way to cut the work over several ranks is possible, for the reasons above; take a "
        "larger image, or a smaller halo");
  }
  return std::any_of(findings.begin(), findings.end(), is_bad) ? 1 : 0;
}

}  // namespace

void add_verify(CLI::App& app, Action& action, std::vector<std::string> program) {
  auto* command = app.add_subcommand(
      "verify",
      "whether a program computes the same, bit for bit, however it is cut: tilewright verify -- APP ARGS...");
  auto options = std::make_shared<Options>();
  add_database_option(*command, options->database);
  command->add_option("--machine", options->machine, "profile to plan with (default: this host's)");
  command->add_option("--ranks", options->ranks, "numbers of ranks to try: N (up to it) or A..B (default 2..4)");
  command->add_option("--mpiexec", options->mpiexec, "what starts ranks (default mpiexec.mpich)");
  add_format_option(*command, options->format);
  command->add_option("APP", options->command, "the program and its arguments, after --");
  command->callback([options, &action, program = std::move(program)] {
    options->command.insert(options->command.end(), program.begin(), program.end());
    action = [options] { return verify(*options); };
  });
}

}  // namespace tilewright::command
