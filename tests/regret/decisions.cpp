#include "decisions.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "planning.hpp"
#include "tilewright/core/error.hpp"

namespace tilewright::regret {
namespace {

constexpr std::int64_t mebibyte = 1 << 20;

using Options = std::vector<std::string>;

/// For decisions that come after that of how many ranks work.
const Options all_of_eight{"--tw-ranks=8"};

Decision decision_of(const char* name, const PipelineChoice& pipeline, std::int64_t side, int ranks,
                     const Options& forbidding, const Options& given = {}) {
  return {name, {pipeline, {side, side}, ranks}, given, forbidding};
}

PipelineChoice templates(Kind kind, int angles) {
  return {.kind = kind, .sigmas = {7}, .angles = angles};
}

/// Fast Ethernet: what is sent counts.
std::vector<Decision> fast_nodes_100mbit() {
  const PipelineChoice small_chain{.kind = Kind::small_chain, .sigmas = {0.7}, .passes = 10};
  const PipelineChoice long_chain{.kind = Kind::iterations, .passes = 40};
  const PipelineChoice derivatives{.kind = Kind::five_derivatives, .sigmas = {3}};
  const PipelineChoice last_on_root{.kind = Kind::derivatives_of_templates, .sigmas = {7, 3}, .angles = 96};
  const PipelineChoice stack{.kind = Kind::stack, .sigmas = {4}, .passes = 12};
  const PipelineChoice lower_stack{.kind = Kind::stack, .sigmas = {4}, .passes = 8};
  const PipelineChoice search = templates(Kind::template_search, 8);
  const PipelineChoice files{.kind = Kind::five_derivatives, .sigmas = {5}, .folder = "files"};
  const PipelineChoice wide_and_tall{.kind = Kind::wide_and_tall, .sigmas = std::vector<double>(48, 160)};
  std::vector<Decision> all;
  const PipelineChoice derivative{.kind = Kind::one_derivative, .sigmas = {3}};
  const Options at_once{"--tw-turns=off"};
  all.push_back(decision_of("ranks fed in turn", derivative, 1024, 8, at_once, all_of_eight));
  all.push_back(decision_of("deep halos", small_chain, 64, 8, {"--tw-halo=shallow"}, all_of_eight));
  all.push_back(decision_of("deep halos", long_chain, 64, 8, {"--tw-halo=shallow"}, all_of_eight));
  all.push_back(
      decision_of("replication", templates(Kind::template_search, 20), 512, 8, {"--tw-distribution=scatter"}));
  all.push_back(decision_of("replication", search, 512, 8, {"--tw-distribution=scatter"}, all_of_eight));
  all.push_back(decision_of("few ranks of many", lower_stack, 512, 8, all_of_eight));
  all.back().contested.node_memory = 8 * mebibyte;
  all.push_back(decision_of("one rank of many", derivatives, 512, 8, all_of_eight));
  all.push_back(decision_of("work on the root", last_on_root, 256, 8, {"--tw-grid=*x*"}, all_of_eight));
  all.push_back(decision_of("tree", search, 512, 8, {"--tw-tree=oft"}, all_of_eight));
  all.push_back(decision_of("tree", templates(Kind::template_bank, 12), 64, 8, {"--tw-tree=sbt"}));
  all.push_back(decision_of("allgather", templates(Kind::fetched_templates, 20), 512, 8, {"--tw-tree=sbt"}));
  const PipelineChoice for_all{.kind = Kind::fetched_derivatives, .sigmas = {3}};
  all.push_back(decision_of("computing everywhere", for_all, 256, 8, {"--tw-everywhere=off"}));
  all.push_back(decision_of("computing everywhere", for_all, 1024, 8, {"--tw-everywhere=off"}));
  all.push_back(decision_of("memory of a node", stack, 512, 8, {"--tw-memory=1TiB"}));
  all.back().contested.node_memory = 6 * mebibyte;
  all.push_back(decision_of("change of the grid", wide_and_tall, 1024, 8, {"--tw-regrid=never"}));
  all.push_back(decision_of("parallel files", files, 2048, 8, {"--tw-files=root"}));
  all.push_back(decision_of("parallel files", files, 1024, 8, {"--tw-files=root"}, all_of_eight));
  return all;
}

/// Gigabit Ethernet: the wire is done before the root has made pictures of what came.
std::vector<Decision> fast_nodes_1gbit() {
  const auto pictures = [](int angles) {
    return PipelineChoice{.kind = Kind::template_pictures,
                          .sigmas = {3.05, 3.1, 3.2, 3.3, 3.4, 3.5},
                          .angles = angles,
                          .folder = "pictures"};
  };
  const Options even{"--tw-tiles=even"};
  std::vector<Decision> all;
  all.push_back(decision_of("less on the root", pictures(8), 512, 8, even));
  all.push_back(decision_of("less on the root", pictures(12), 512, 8, even));
  all.push_back(decision_of("less on the root", pictures(8), 1024, 8, even));
  return all;
}

/// The processors have time for what the wire is busy with.
std::vector<Decision> faster_nodes_100mbit() {
  const PipelineChoice chain{.kind = Kind::template_chain, .sigmas = {3}, .passes = 60};
  std::vector<Decision> all;
  all.push_back(decision_of("exchanges overlapped", chain, 1024, 4, {"--tw-overlap=off"}, {"--tw-ranks=4"}));
  return all;
}

/// Two ranks a node, which share its processor: the second one brings messages, and nothing else.
std::vector<Decision> ranks_that_share_nodes() {
  const PipelineChoice chain{.kind = Kind::template_chain, .sigmas = {3}, .passes = 60};
  const Options as_many_as_started{"--tw-grid=*x*@2"};
  std::vector<Decision> all;
  all.push_back(decision_of("ranks a node", chain, 512, 8, as_many_as_started));
  all.push_back(decision_of("blocks on nodes", chain, 512, 8, {"--tw-grid=2x4@2"}, {"--tw-grid=2x4"}));
  return all;
}

/// Computing is dear, so that filters pay for which no single grid has room.
std::vector<Decision> slow_nodes_100mbit() {
  const PipelineChoice wide_and_tall{.kind = Kind::wide_and_tall, .sigmas = {160}};
  const PipelineChoice search = templates(Kind::template_search, 8);
  std::vector<Decision> all;
  all.push_back(decision_of("change of the grid", wide_and_tall, 1024, 8, {"--tw-regrid=never"}));
  all.push_back(decision_of("replication", search, 512, 8, {"--tw-distribution=scatter"}, all_of_eight));
  all.push_back(decision_of("tree", search, 512, 8, {"--tw-tree=oft"}, all_of_eight));
  return all;
}

std::vector<Decision> unequal_nodes() {
  const Options even{"--tw-tiles=even"};
  std::vector<Decision> all;
  all.push_back(decision_of("unequal tiles", templates(Kind::template_bank, 20), 512, 8, even));
  all.push_back(decision_of("unequal tiles", templates(Kind::template_bank, 20), 512, 8, even, all_of_eight));
  const Options some_of_eight{"--tw-ranks=4"};
  const PipelineChoice chain{.kind = Kind::template_chain, .sigmas = {3}, .passes = 60};
  all.push_back(decision_of("fastest ranks first", chain, 512, 8, {"--tw-fastest-first=off"}));
  all.push_back(decision_of("fastest ranks first", chain, 512, 8, {"--tw-fastest-first=off"}, some_of_eight));
  return all;
}

/// What the cores and their memory do.
std::vector<Decision> shared_memory() {
  const PipelineChoice chain{.kind = Kind::chain, .sigmas = {1, 2, 3}};
  const PipelineChoice gradient{.kind = Kind::gradient_threshold, .sigmas = {3}};
  const PipelineChoice iterations{.kind = Kind::iterations};
  const Options columns{"--tw-sharing=off", "--tw-grid=2x1", "--tw-halo=shallow"};
  std::vector<Decision> all;
  all.push_back(decision_of("shared memory", chain, 1024, 2, {"--tw-sharing=off"}));
  all.push_back(decision_of("shared memory", gradient, 1024, 2, {"--tw-sharing=off"}));
  all.push_back(decision_of("packing", iterations, 512, 2, {"--tw-packing=datatype"}, columns));
  return all;
}

}  // namespace

std::vector<Decision> decisions_of(const Ground& ground) {
  if (ground.network == "shared memory") return shared_memory();
  if (ground.is_unequal()) return unequal_nodes();
  if (ground.ranks_per_node > 1) return ranks_that_share_nodes();
  if (ground.network == "100mbit" && ground.smallest_share() >= 30) return faster_nodes_100mbit();
  if (ground.network == "100mbit") return ground.smallest_share() < 5 ? slow_nodes_100mbit() : fast_nodes_100mbit();
  if (ground.network == "1gbit") return fast_nodes_1gbit();
  throw ParameterError(fmt::format(
      "no decisions are tried on a network of '{}': there are 100mbit, 1gbit and 'shared memory'", ground.network));
}

SessionOptions options_of(const Decision& decision, bool is_free) {
  std::vector<std::string> arguments{"regret"};
  if (decision.contested.node_memory > 0) {
    arguments.push_back(fmt::format("--tw-memory={}", decision.contested.node_memory));
  }
  arguments.insert(arguments.end(), decision.given.begin(), decision.given.end());
  if (!is_free) arguments.insert(arguments.end(), decision.forbidding.begin(), decision.forbidding.end());
  std::vector<const char*> argv;
  std::transform(arguments.begin(), arguments.end(), std::back_inserter(argv),
                 [](const std::string& argument) { return argument.c_str(); });
  return parse_session_options(static_cast<int>(argv.size()), argv.data(), [](const char*) { return nullptr; });
}

Plan plan_of(const Decision& decision, bool is_free, const MachineProfile& profile, const Started& started) {
  const SessionOptions options = options_of(decision, is_free);
  SearchSpace space = forced(options);
  space.max_ranks = decision.contested.max_ranks;
  space.started_ranks = started.ranks;
  space.ranks_per_node = started.ranks_per_node;
  space.mappable_nodes = started.mappable_nodes;
  if (options.sharing) space.sharing_ranks = started.sharing_ranks;
  space.rank_speeds = speeds_by_rank(profile, started.node_of_rank);
  return make_plan(record_choice(decision.contested.pipeline, decision.contested.image), profile, space, options);
}

std::int64_t node_bytes(const Plan& plan, const Started& started) {
  const int ranks_per_node = std::min(started.ranks_per_node, plan.ranks_per_node);
  return tilewright::node_bytes(plan.root_bytes, plan.rank_bytes, plan.ranks, ranks_per_node);
}

}  // namespace tilewright::regret
