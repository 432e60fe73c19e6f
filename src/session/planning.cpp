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
#include "tilewright/core/node_mapping.hpp"
#include "tilewright/core/units.hpp"
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

/// What is forced that one rank alone cannot have; empty if there is nothing. It has no transfers, so that whatever is
/// said of them holds.
std::string_view forced_of_several_ranks(const SessionOptions& options) {
  const bool has_more = options.ranks.value_or(1) > 1 || (options.grid && !options.grid->matches(ProcessGrid{1, 1}));
  if (has_more) return "more than one rank";
  if (options.tree == Algorithm::shared) return "--tw-tree=shared";
  if (options.in_turn.value_or(false)) return "--tw-turns=on";
  if (options.regrid == Regrid::always) return "--tw-regrid=always";
  if (options.files == FileAccess::parallel) return "--tw-files=parallel";
  if (options.tiles == TileSizes::by_speed) return "--tw-tiles=by-speed";
  if (options.tiles == TileSizes::less_on_root) return "--tw-tiles=less-on-root";
  return {};
}

/// What is asked for that only a profile can tell; empty if there is nothing.
std::string_view asked_of_profile(const SessionOptions& options) {
  if (!options.model.empty()) return "--tw-model";
  if (!options.operators_from.empty()) return "--tw-operators-from";
  if (options.wishes.most_node_hours) return "--tw-node-hours";
  return {};
}

/// Without a profile. Throws ParameterError if it cannot be as it is forced.
Plan plan_alone(const Pipeline& pipeline, const SearchSpace& space, const SessionOptions& options) {
  if (const std::string_view forced = forced_of_several_ranks(options); !forced.empty()) {
    throw ParameterError(fmt::format("{} is forced, but the program runs alone: start it with mpiexec", forced));
  }
  if (const std::string_view asked = asked_of_profile(options); !asked.empty()) {
    throw ParameterError(fmt::format(
        "{} is given, but there is no machine profile to plan with: run tilewright calibrate first", asked));
  }
  Plan plan = sequential_plan(pipeline, threads_of_rank(space, ProcessGrid{}));
  if (options.memory && node_bytes(plan) > *options.memory) {
    throw ParameterError(
        fmt::format("a plan may take {}, but that of one rank alone takes {}: allow as much "
                    "(--tw-memory), or start more ranks with mpiexec",
                    format_bytes(*options.memory), format_bytes(node_bytes(plan))));
  }
  return plan;
}

/// What a plan was made for.
std::string machine_text(const Plan& plan) {
  return plan.machine.empty() ? "without a machine profile" : fmt::format("for machine '{}'", plan.machine);
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
  space.max_ranks = ranks_on(nodes.last, space.ranks_per_node);
  space.min_ranks = nodes.first == 1 ? 1 : (nodes.first - 1) * space.ranks_per_node + 1;
  if (!profile.has_paths() && space.min_ranks == 1) {
    space.max_ranks = 1;
    notes.push_back("the profile has no costs of messages, so one rank is planned for: calibrate with 2 ranks or more");
  }
  // Whoever forces ranks in a dry run has them.
  if (options.ranks) space.max_ranks = std::max(space.max_ranks, *options.ranks);
  if (options.grid) space.max_ranks = std::max(space.max_ranks, options.grid->x * options.grid->y);
  space.mappable_nodes = std::max(nodes.last, nodes_of(space.max_ranks, space.ranks_per_node));
  return space;
}

Plan make_plan(const Pipeline& pipeline, const std::optional<MachineProfile>& profile, const SearchSpace& space,
               const SessionOptions& options) {
  if (profile) {
    Plan plan = plan_pipeline(pipeline, *profile, options.model, space);
    if (!options.operators_from.empty()) {
      plan.notes.push_back(fmt::format("the costs of operators are those of machine '{}'", options.operators_from));
    }
    return plan;
  }
  return plan_alone(pipeline, space, options);
}

std::vector<Plan> plans_from_file(const SessionOptions& options) {
  if (const std::vector<std::string> said = said_of_planning(options); !said.empty()) {
    throw ParameterError(
        fmt::format("--tw-plan decides everything: it cannot be combined with {}", fmt::join(said, ", ")));
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
  for (const Plan& plan : plans) {
    if (options.machine.empty() || plan.machine == options.machine) continue;
    throw ParameterError(fmt::format("the plan in {} was made {}, not for '{}': leave out --tw-machine",
                                     options.plan_file, machine_text(plan), options.machine));
  }
  return plans;
}

}  // namespace tilewright
