#include "planning.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <limits>
#include <numeric>
#include <sstream>
#include <utility>

#include "tilewright/core/error.hpp"
#include "tilewright/explain/render.hpp"
#include "tilewright/scheduler/planner.hpp"

namespace tilewright {
namespace {

constexpr int default_nodes = 16;

/// Throws ParameterError if plans are not made for so many.
int ranks_on(int nodes, int ranks_per_node) {
  const std::int64_t ranks = std::int64_t{nodes} * ranks_per_node;
  if (ranks <= most_planned_ranks) return static_cast<int>(ranks);
  throw ParameterError(fmt::format("{} nodes of {} ranks are {}: plans are made for {} ranks at most (--nodes)", nodes,
                                   ranks_per_node, ranks, most_planned_ranks));
}

/// The nodes in the order in which they were calibrated, or the first one and then the fastest.
std::vector<double> speeds_by_rank(const MachineProfile& profile, int ranks_per_node, bool fastest_first) {
  std::vector<NodeSpeed> nodes = profile.node_speeds();
  if (fastest_first && !nodes.empty()) {
    std::stable_sort(nodes.begin() + 1, nodes.end(),
                     [](const NodeSpeed& a, const NodeSpeed& b) { return a.speed > b.speed; });
  }
  std::vector<double> speeds;
  for (const NodeSpeed& node : nodes) {
    speeds.insert(speeds.end(), static_cast<std::size_t>(ranks_per_node), node.speed);
  }
  return speeds;
}

}  // namespace

std::vector<double> speeds_by_rank(const MachineProfile& profile, const std::vector<std::string>& node_of_rank) {
  std::vector<double> speeds;
  if (profile.node_speeds().empty()) return speeds;
  for (const std::string& node : node_of_rank) speeds.push_back(speed_of(profile.node_speeds(), node));
  return speeds;
}

std::vector<int> fastest_first(const std::vector<std::string>& node_of_rank, const std::vector<NodeSpeed>& speeds) {
  std::vector<int> order(node_of_rank.size());
  std::iota(order.begin(), order.end(), 0);
  const auto speed = [&](int rank) {
    const std::string& node = node_of_rank[static_cast<std::size_t>(rank)];
    return node == node_of_rank.front() ? std::numeric_limits<double>::infinity() : speed_of(speeds, node);
  };
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return speed(a) > speed(b); });
  return order;
}

const Communicator& ranks_to_plan_for(const SessionOptions& options, const MachineProfile* profile,
                                      const Communicator& started) {
  if (!options.fastest_first || (options.grid && options.grid->has_shares())) return started;
  std::string text;
  if (started.is_root() && profile != nullptr && !profile->node_speeds().empty()) {
    text = fmt::format("{}", fmt::join(fastest_first(started.node_of_rank(), profile->node_speeds()), " "));
  }
  std::istringstream stream(started.broadcast(std::move(text)));
  const std::vector<int> order{std::istream_iterator<int>(stream), {}};
  return order.empty() ? started : started.in_order(order);
}

SearchSpace forced(const SessionOptions& options) {
  SearchSpace space;
  space.threads = options.threads;
  space.ranks = options.ranks;
  space.grid = options.grid;
  space.tiles = options.tiles;
  space.in_turn = options.in_turn;
  space.overlap = options.overlap;
  space.everywhere = options.everywhere;
  space.tree = options.tree;
  space.distribution = options.distribution;
  space.packing = options.packing;
  space.halo = options.halo;
  space.regrid = options.regrid;
  space.wishes = options.wishes;
  space.files = options.files;
  space.node_memory = options.memory.value_or(0);
  if (space.tree == Algorithm::shared && !options.sharing) {
    throw ParameterError("--tw-tree=shared cannot be combined with --tw-sharing=off");
  }
  return space;
}

bool forces_anything(const SessionOptions& options) {
  return options.ranks || options.grid || options.tree || options.distribution || options.packing || options.halo ||
         options.regrid || options.tiles || options.in_turn || options.overlap || options.keep || options.threads ||
         options.files || options.memory || !options.sharing || !options.everywhere || options.wishes != Wishes{};
}

SearchSpace search_space_for_run(const SessionOptions& options, const MachineProfile* profile,
                                 const Communicator& communicator) {
  SearchSpace space = forced(options);
  space.max_ranks = space.started_ranks = communicator.ranks();
  space.ranks_per_node = communicator.ranks_per_node();
  space.mappable_nodes = communicator.has_even_nodes() ? communicator.nodes() : 0;
  space.cores_per_node = communicator.cores_per_node();
  space.cores_per_rank = communicator.cores_per_rank();
  if (options.sharing) space.sharing_ranks = communicator.sharing_ranks();
  space.second_opinions = options.explain != Explain::no;
  if (profile == nullptr) return space;
  const Fingerprint& machine = profile->fingerprint();
  space.node_memory = options.memory.value_or(machine.memory_per_node);
  space.rank_speeds = speeds_by_rank(*profile, communicator.node_of_rank());
  if (machine.cores_per_node > 0) space.cores_per_node = std::min(space.cores_per_node, machine.cores_per_node);
  return space;
}

SearchSpace search_space_for_dry_run(const SessionOptions& options, const MachineProfile& profile,
                                     std::vector<std::string>& notes) {
  SearchSpace space = forced(options);
  const Fingerprint& machine = profile.fingerprint();
  space.ranks_per_node = std::max(1, machine.cores_per_node / options.threads.value_or(1));
  space.cores_per_node = std::max(1, machine.cores_per_node);
  const bool by_hand = options.grid && options.grid->has_shares();
  space.rank_speeds = speeds_by_rank(profile, space.ranks_per_node, options.fastest_first && !by_hand);
  if (options.sharing) space.sharing_ranks = space.ranks_per_node;
  space.node_memory = options.memory.value_or(machine.memory_per_node);
  space.second_opinions = true;
  NodeRange nodes{1, std::min(machine.nodes, most_planned_ranks / space.ranks_per_node)};
  if (options.nodes) {
    nodes = *options.nodes;
    space.node_curve = nodes.as_range;
  } else if (machine.nodes < 1) {
    nodes.last = default_nodes;
    notes.push_back(fmt::format("the profile does not say how many nodes there are: up to {} are assumed (--nodes)",
                                default_nodes));
  }
  space.mappable_nodes = nodes.last;
  space.max_ranks = ranks_on(nodes.last, space.ranks_per_node);
  space.min_ranks = nodes.first == 1 ? 1 : (nodes.first - 1) * space.ranks_per_node + 1;
  // Whoever forces ranks in a dry run has them.
  if (options.ranks) space.max_ranks = std::max(space.max_ranks, *options.ranks);
  if (options.grid) space.max_ranks = std::max(space.max_ranks, options.grid->x * options.grid->y);
  return space;
}

Plan make_plan(const Pipeline& pipeline, const std::optional<MachineProfile>& profile, const SearchSpace& space,
               const SessionOptions& options) {
  if (profile) {
    Plan plan = plan_pipeline(pipeline, *profile, *make_cost_model(options.model, *profile), space);
    if (!options.operators_from.empty()) {
      plan.notes.push_back(fmt::format("the costs of operators are those of machine '{}'", options.operators_from));
    }
    return plan;
  }
  const bool one =
      (!options.ranks || *options.ranks == 1) && (!options.grid || options.grid->matches(ProcessGrid{1, 1}));
  if (!one) {
    throw ParameterError("more than one rank is forced, but the program runs alone: start it with mpiexec");
  }
  return sequential_plan(pipeline, threads_of_rank(space, ProcessGrid{}));
}

std::vector<Plan> plans_from_file(const SessionOptions& options) {
  if (forces_anything(options)) {
    throw ParameterError(
        "--tw-plan decides everything: it cannot be combined with --tw-ranks, --tw-grid, --tw-tiles, --tw-turns, "
        "--tw-tree, "
        "--tw-distribution, --tw-packing, --tw-halo, --tw-regrid, --tw-keep, --tw-threads, --tw-files, --tw-memory, "
        "--tw-sharing, --tw-overlap, --tw-everywhere, --tw-objective or --tw-node-hours");
  }
  std::ifstream file(options.plan_file);
  if (!file) throw ParameterError(fmt::format("cannot read the plan {}", options.plan_file));
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  std::vector<Plan> plans;
  try {
    plans = plans_from_json(text);
  } catch (const ParameterError& error) {
    throw ParameterError(fmt::format("{}: {}", options.plan_file, error.what()));
  }
  if (plans.empty()) throw ParameterError(fmt::format("{} has no plan", options.plan_file));
  return plans;
}

}  // namespace tilewright
