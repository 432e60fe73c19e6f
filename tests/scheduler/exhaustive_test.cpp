// The planner against all plans there are: every number of ranks, grid, placement, transfer, tree and packing.
//
// The oracle shares with the planner what a transition costs in one configuration with one packing, and nothing else:
// it enumerates configurations, packings and placements by itself.
#include <gtest/gtest.h>

#include <limits>
#include <list>
#include <map>

#include "../../scheduler/file_parts.hpp"
#include "../../scheduler/sharing.hpp"
#include "../../scheduler/tile_speeds.hpp"
#include "../../scheduler/transition_costs.hpp"
#include "scheduler/placement_search.hpp"
#include "scheduler/planning.hpp"
#include "scheduler/random_pipelines.hpp"
#include "tilewright/core/node_mapping.hpp"

namespace tilewright {
namespace {

using test::Random;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::size_t no_limit = 1000000;
constexpr unsigned pipelines = 300;
const std::vector<std::string> keys{"sum", "filter", "total"};

/// What blocks of a message of that path take beyond a contiguous one of `seconds`, with each packing: the cheapest one
/// differs from transfer to transfer.
void add_blocks(std::vector<PathCell>& cells, Random& random, Path path, std::int64_t bytes, double seconds) {
  for (const Layout layout : {Layout::nc, Layout::cn}) {
    for (const Packing packing : {Packing::datatype, Packing::manual}) {
      for (const std::int64_t block : {8, 1024}) {
        const double blocks = static_cast<double>(bytes) / static_cast<double>(block);
        const double slower_s = seconds * random.between(0.01, 1) + blocks * random.between(1e-9, 1e-6);
        cells.push_back({path, layout, bytes, {seconds + slower_s, 0, 0}, packing, block, 2 * block});
      }
    }
  }
}

std::vector<PathCell> random_messages(Random& random) {
  constexpr std::int64_t bytes_in_blocks = 16384;
  std::vector<PathCell> cells;
  const double latency_s = random.between(1e-6, 1e-3);
  const double byte_s = random.between(1e-10, 1e-7);
  const bool blocks_known = random.below(2) == 0;
  for (const Path path : all_paths) {
    for (const Layout layout : all_layouts) {
      const double factor = random.between(0.5, 4);
      const auto seconds = [&](std::int64_t bytes) {
        return factor * (latency_s + byte_s * static_cast<double>(bytes));
      };
      for (const std::int64_t bytes : {0, 1024, 65536}) cells.push_back({path, layout, bytes, {seconds(bytes), 0, 0}});
      const bool whole = layout == Layout::cc;
      if (blocks_known && whole) add_blocks(cells, random, path, bytes_in_blocks, seconds(bytes_in_blocks));
    }
  }
  return cells;
}

/// Of every second machine it is known how much of an exchange passes while ranks compute.
void add_overlapped(std::vector<PathCell>& cells, unsigned seed) {
  if (seed % 2 == 1) return;
  Random random(seed + 1000);
  const double exposed = random.between(0.01, 1);
  for (const std::int64_t bytes : {1024, 65536}) {
    const double seconds = 1e-6 + 1e-8 * static_cast<double>(bytes);
    cells.push_back({Path::shift, Layout::cc, bytes, {seconds, 0, 0}, Packing::blocked});
    cells.push_back({Path::exposed, Layout::cc, bytes, {exposed * seconds, 0, 0}, Packing::blocked});
  }
}

/// Of every third machine, messages within a node have costs of their own, mostly lower ones.
void add_within_nodes(std::vector<PathCell>& cells, unsigned seed) {
  if (seed % 3 != 0) return;
  Random random(seed + 2000);
  std::vector<PathCell> within;
  for (PathCell cell : cells) {
    cell.within_node = true;
    cell.time.seconds *= random.between(0.01, 1.1);
    within.push_back(cell);
  }
  cells.insert(cells.end(), within.begin(), within.end());
}

/// Speeds of computing and of the wire that differ by orders of magnitude from seed to seed, so that one rank wins, or
/// many, or something between.
MachineProfile random_profile(Random& random, unsigned seed) {
  std::vector<PathCell> paths = random_messages(random);
  add_within_nodes(paths, seed);
  std::vector<OperatorCell> operators;
  for (const std::string& key : keys) {
    const double value_s = random.between(1e-9, 1e-5);
    for (const double tile_pixels : {64.0, 4096.0}) {
      operators.push_back({key, PixelType::f32, 0, tile_pixels, {value_s * random.between(0.5, 2), 0, 0}});
    }
  }
  operators.push_back({"copy", PixelType::f32, 0, 4096, {random.between(1e-10, 1e-8), 0, 0}});
  operators.push_back({"fill_border", PixelType::f32, 0, 4096, {random.between(1e-10, 1e-7), 0, 0}});
  Fingerprint fingerprint;
  fingerprint.cores_per_node = random.below(5);
  for (const Layout layout : {Layout::cc, Layout::nn}) {
    const double empty_s = random.between(1e-6, 1e-3);
    paths.push_back({Path::shared, layout, 0, {empty_s, 0, 0}});
    paths.push_back({Path::shared, layout, 65536, {empty_s + 65536 * random.between(1e-10, 1e-7), 0, 0}});
  }
  const double sending_s = random.between(1e-4, 1);
  const double receiving_s = random.between(1e-4, 1);
  const double both_s = std::max(sending_s, receiving_s) + random.between(1e-3, 1) * std::min(sending_s, receiving_s);
  paths.push_back({Path::one_to_all, Layout::cc, 131072, {sending_s, 0, 0}});
  paths.push_back({Path::all_to_one, Layout::cc, 131072, {receiving_s, 0, 0}});
  paths.push_back({Path::all_to_one_to_all, Layout::cc, 131072, {both_s, 0, 0}});
  const double left_s = receiving_s * random.between(1e-3, 1);
  if (seed % 5 < 2) paths.push_back({Path::collected, Layout::cc, 131072, {left_s, 0, 0}, Packing::blocked});
  add_overlapped(paths, seed);
  return {"random", fingerprint, std::move(paths), std::move(operators)};
}

struct Question {
  Pipeline pipeline;
  MachineProfile profile;
  SearchSpace space;
};

/// Every way to have equally many ranks on each node: a node that all are on has all that were started on it.
std::vector<ProcessGrid> mapped(const Question& question, const ProcessGrid& grid) {
  const auto& [ranks_per_node, nodes] = std::pair(question.space.ranks_per_node, question.space.mappable_nodes);
  std::vector<ProcessGrid> all;
  for (int on_node = 1; on_node <= ranks_per_node; ++on_node) {
    const bool is_full = on_node == ranks_per_node;
    if (!is_full && (ranks_per_node % on_node != 0 || grid.ranks() % on_node != 0 || grid.ranks() == on_node)) continue;
    if ((grid.ranks() + on_node - 1) / on_node > nodes) continue;
    // Where neither a node's ranks fill rows nor rows nodes, ranks are as they were started.
    const bool are_blocks = grid.ranks() <= on_node || on_node % grid.x == 0 || grid.x % on_node == 0;
    if (are_blocks || is_full) all.push_back(are_blocks ? with_mapping(grid, {on_node}) : grid);
    for (int columns = 1; columns <= on_node; ++columns) {
      if (!fills(grid, {on_node, columns})) continue;
      const ProcessGrid in_blocks = with_mapping(grid, {on_node, columns});
      if (std::find(all.begin(), all.end(), in_blocks) == all.end()) all.push_back(in_blocks);
    }
  }
  return all;
}

/// Cut evenly, with all mappings where they make a difference; and by the speeds of the ranks, where these differ.
std::vector<ProcessGrid> cuts_of(const Question& question, const ProcessGrid& grid) {
  const auto& cells = question.profile.paths();
  const bool tells_nodes =
      std::any_of(cells.begin(), cells.end(), [](const PathCell& cell) { return cell.within_node; });
  const bool maps = tells_nodes && question.space.ranks_per_node > 1 && question.space.mappable_nodes > 1 &&
                    question.space.rank_speeds.empty();
  if (maps && grid.ranks() > 1) return mapped(question, grid);
  std::vector<ProcessGrid> cuts{grid};
  if (question.space.rank_speeds.empty()) return cuts;
  const ProcessGrid by_speed = shared_by_speed(grid, question.space.rank_speeds);
  if (by_speed != grid) cuts.push_back(by_speed);
  return cuts;
}

using MakePipeline = Pipeline (*)(Random&, const Extent&, const std::vector<std::string>&);

Question random_question(unsigned seed, MakePipeline make_pipeline = test::random_pipeline, int scale = 1) {
  Random random(seed);
  const Extent extent{scale * (1 + random.below(64)),
                      scale * (1 + random.below(64))};  // on small ones not every grid is possible
  Pipeline pipeline = make_pipeline(random, extent, keys);
  MachineProfile profile = random_profile(random, seed);
  SearchSpace space{.max_ranks = 1 + random.below(8),
                    .ranks_per_node = 1 + random.below(4),
                    .sharing_ranks = 1 + random.below(4),
                    .cores_per_node = 1 + random.below(8),
                    .threads = random.below(2) == 0 ? std::nullopt : std::optional(1 + random.below(2)),
                    .max_states = no_limit};
  space.mappable_nodes = (space.max_ranks + space.ranks_per_node - 1) / space.ranks_per_node;
  if (seed % 2 == 0) space.started_ranks = space.max_ranks;  // those that are left idle get results and images, too
  return {std::move(pipeline), std::move(profile), space};
}

/// Prices of one configuration; of each transition the least over the packings, of which an overlapped exchange has no
/// choice.
class Prices {
 public:
  Prices(const Question& question, const CostModel& model, const Configuration& configuration) {
    for (const Packing packing : model.packings()) {
      spaces_.push_back(question.space);
      spaces_.back().packing = packing;
    }
    for (const SearchSpace& space : spaces_) {
      pricers_.emplace_back(question.pipeline, question.profile, model, space);
      pricers_.back().configure(configuration);
    }
    spaces_.push_back(question.space);
    overlapping_.emplace(question.pipeline, question.profile, model, spaces_.back());
    overlapping_->configure(configuration);
  }

  double operator()(const Transition& transition) {
    const auto [position, is_new] = known_.try_emplace(transition, infinity);
    if (!is_new) return position->second;
    if (transition.meanwhile >= 0) return position->second = overlapping_->price(transition).seconds;
    for (TransitionPricer& pricer : pricers_) {
      position->second = std::min(position->second, pricer.price(transition).seconds);
    }
    return position->second;
  }

  TransitionTimes times(const Transition& transition) {
    return pricers_.front().times(transition, (*this)(transition));
  }

 private:
  std::list<SearchSpace> spaces_;  // pricers refer to them
  std::list<TransitionPricer> pricers_;
  std::optional<TransitionPricer> overlapping_;
  std::map<Transition, double> known_;
};

/// The least cost over all plans; the number of configurations in which any plan is possible comes with it.
struct Optimum {
  double seconds = infinity;
  int possible = 0;
};

/// Where a change of grid is looked at, unless it is forced.
bool reaches_far_both_ways(const Pipeline& pipeline) {
  const auto any = [&](const auto& is_meant) {
    return std::any_of(pipeline.images.begin(), pipeline.images.end(),
                       [&](const PipelineImage& image) { return image.op && is_meant(image.op->halo()); });
  };
  return any([](const Halo& halo) { return halo.x > 0 && halo.x >= 2 * halo.y; }) &&
         any([](const Halo& halo) { return halo.y > 0 && halo.y >= 2 * halo.x; });
}

/// All paths through a graph, one after another, for times that do not add up: nothing is left out but what takes as
/// long as the best one already.
class AllPaths {
 public:
  AllPaths(const TransitionGraph& graph, Prices& prices, double best_s) : graph_(graph), best_s_(best_s) {
    for (const Transition& transition : graph.transitions) times_.push_back(prices.times(transition));
    go_on(graph.start, {}, false);
  }
  /// Of those that work on the tiles, or what was known to be possible.
  [[nodiscard]] double best_s() const { return best_s_; }

 private:
  void go_on(TransitionGraph::Vertex vertex, const Timeline& now, bool on_tiles) {
    if (now.end() >= best_s_) return;
    if (vertex == graph_.goal) {
      if (on_tiles) best_s_ = now.end();
      return;
    }
    const auto [first, last] = boost::out_edges(vertex, graph_.graph);
    for (auto edge = first; edge != last; ++edge) {
      const auto begin = static_cast<std::size_t>(graph_.graph[*edge].transition);
      for (std::size_t i = begin; i < begin + static_cast<std::size_t>(graph_.choices[begin]); ++i) {
        const bool computes = graph_.transitions[i].kind == Transition::Kind::compute_tiles;
        go_on(boost::target(*edge, graph_.graph), after(now, times_[i]), on_tiles || computes);
      }
    }
  }

  const TransitionGraph& graph_;
  std::vector<TransitionTimes> times_;
  double best_s_;
};

/// Row strips that are fed in turn.
std::vector<ProcessGrid> cuts_in_turn(const Question& question, const ProcessGrid& grid) {
  const auto& tiles = question.space.tiles;
  std::vector<ProcessGrid> cuts;
  if (tiles != TileSizes::less_on_root) cuts = cuts_of(question, grid);
  if (tiles && tiles != TileSizes::less_on_root) return cuts;
  for (ProcessGrid cut : cuts_of(question, grid)) {
    if (!cut.is_even()) continue;
    for (const double part : {0.5, 0.0}) {
      if (auto less = with_less_on_root(cut, question.space.rank_speeds, part)) cuts.push_back(*std::move(less));
    }
  }
  return cuts;
}

/// The least time of all plans in which the root serves the others in turn, or `best_s`.
double optimum_in_turn(const Question& question, const CostModel& model, double best_s) {
  const auto& [pipeline, profile, space] = question;
  const Offer offer{offered_algorithms(profile, space), images_in_parts(pipeline, profile, space),
                    outputs_in_parts(pipeline, profile, space), space.keeps_in_place};
  const TransitionGraph graph = make_transition_graph(pipeline, no_limit, {}, offer);
  for (int ranks = 3; ranks <= space.max_ranks; ++ranks) {
    for (const ProcessGrid& cut : cuts_in_turn(question, {1, ranks})) {
      Prices prices(question, model, {ranks, cut, {}, true});
      best_s = AllPaths(graph, prices, best_s).best_s();
    }
  }
  return best_s;
}

/// The least cost of all plans for sources that are on the tiles of a grid; with any grid, if there are none.
double optimum_with_kept(const Question& question, const CostModel& model) {
  const auto grid = grid_of_sources(question.pipeline);
  double least = infinity;
  for (int x = 1; x <= question.space.max_ranks; ++x) {
    for (int y = 1; x * y <= question.space.max_ranks; ++y) {
      if (grid && *grid != ProcessGrid{x, y}) continue;
      for (const ProcessGrid& cut : grid ? std::vector{*grid} : cuts_of(question, {x, y})) {
        Prices prices(question, model, {x * y, cut});
        test::PlacementSearch search(question.pipeline, std::ref(prices), 1, {}, {}, question.space.keeps_in_place);
        least = std::min(least, x * y == 1 || grid ? search.cheapest() : search.cheapest_on_tiles());
      }
    }
  }
  return grid ? least : optimum_in_turn(question, model, least);
}

/// The files that ranks may read in parts: with one rank there is no other way than as a whole.
std::vector<bool> files_of(const Question& question) {
  if (question.space.max_ranks == 1) return {};
  return test::in_parts(question.pipeline);
}

/// The least cost of all plans that change between two grids.
double optimum_of_regridding(const Question& question, const CostModel& model) {
  double least = infinity;
  for (int ranks = 2; ranks <= question.space.max_ranks; ++ranks) {
    std::vector<ProcessGrid> grids;
    for (const ProcessGrid& grid : grids_of(ranks)) {
      for (const ProcessGrid& cut : cuts_of(question, grid)) grids.push_back(cut);
    }
    for (auto a = grids.begin(); a != grids.end(); ++a) {
      for (auto b = a + 1; b != grids.end(); ++b) {
        if (a->mapping != b->mapping || a->mapping.is_in_blocks()) continue;  // ranks would change their numbers
        Prices prices(question, model, {ranks, *a, *b});
        test::PlacementSearch search(question.pipeline, std::ref(prices), 2, test::in_parts(question.pipeline),
                                     test::out_parts(question.pipeline));
        least = std::min(least, search.cheapest_that_regrids());
      }
    }
  }
  return least;
}

Optimum optimum_of_all_plans(const Question& question, const CostModel& model) {
  Optimum optimum;
  if (reaches_far_both_ways(question.pipeline)) optimum.seconds = optimum_of_regridding(question, model);
  for (int x = 1; x <= question.space.max_ranks; ++x) {
    for (int y = 1; x * y <= question.space.max_ranks; ++y) {
      for (const ProcessGrid& grid : cuts_of(question, {x, y})) {
        Prices prices(question, model, {x * y, grid});
        test::PlacementSearch search(question.pipeline, std::ref(prices), 1, files_of(question),
                                     test::out_parts(question.pipeline));
        const double seconds = x * y == 1 ? search.cheapest() : search.cheapest_on_tiles();
        optimum.possible += seconds < infinity ? 1 : 0;
        optimum.seconds = std::min(optimum.seconds, seconds);
      }
    }
  }
  optimum.seconds = optimum_in_turn(question, model, optimum.seconds);
  return optimum;
}

bool has_step(const Plan& plan, const std::function<bool(const PlanStep&)>& is_meant) {
  return std::any_of(plan.steps.begin(), plan.steps.end(), is_meant);
}

TEST(Planner, FindsTheCheapestOfAllPlans) {
  int on_one_rank = 0;
  int on_several = 0;
  int packed_by_hand = 0;
  int on_few_of_a_node = 0;
  int in_blocks = 0;
  for (unsigned seed = 1; seed <= pipelines; ++seed) {
    const Question question = random_question(seed);
    const auto model = make_cost_model("", question.profile);
    const Plan plan = plan_pipeline(question.pipeline, question.profile, *model, question.space);
    const Optimum optimum = optimum_of_all_plans(question, *model);
    ASSERT_TRUE(plan.predicted_seconds);
    // Sums of the same numbers in another order: equal but for the last bits.
    const double rounding = 1e-12 * optimum.seconds;
    ASSERT_NEAR(*plan.predicted_seconds, optimum.seconds, rounding) << "seed " << seed << "\n"
                                                                    << question.pipeline.describe();
    EXPECT_NEAR(*plan.lower_bound_seconds, optimum.seconds, rounding);
    EXPECT_TRUE(plan.proven_optimal);
    on_few_of_a_node += plan.grid.mapping.is_given() && plan.ranks_per_node < question.space.ranks_per_node;
    in_blocks += plan.grid.mapping.is_in_blocks();
    packed_by_hand += has_step(plan, [](const PlanStep& step) { return step.packing == Packing::manual; });
    (plan.ranks == 1 ? on_one_rank : on_several) += optimum.possible > 1 ? 1 : 0;
  }
  EXPECT_GT(on_one_rank, 40) << "both answers must be common where there is a choice";
  EXPECT_GT(on_several, 40);
  EXPECT_GT(packed_by_hand, 5);
  EXPECT_GT(on_few_of_a_node, 3);
  EXPECT_GT(in_blocks, 0);
}

/// Plans, and sees that the plan takes `least` seconds; of infinity, that there is none.
void plan_of_cost(const Question& question, const CostModel& model, double least, unsigned seed,
                  std::optional<Plan>& plan) {
  if (least == infinity) {
    EXPECT_THROW((void)plan_pipeline(question.pipeline, question.profile, model, question.space), ParameterError);
    return;
  }
  plan = plan_pipeline(question.pipeline, question.profile, model, question.space);
  ASSERT_NEAR(*plan->predicted_seconds, least, 1e-12 * least) << "seed " << seed << "\n"
                                                              << question.pipeline.describe();
  EXPECT_TRUE(plan->proven_optimal);
}

/// Plans, and sees that no plan of all is cheaper.
void find_optimum(const Question& question, unsigned seed, Plan& plan) {
  const auto model = make_cost_model("", question.profile);
  std::optional<Plan> found;
  ASSERT_NO_FATAL_FAILURE(plan_of_cost(question, *model, optimum_of_all_plans(question, *model).seconds, seed, found));
  ASSERT_TRUE(found) << "seed " << seed;
  plan = *std::move(found);
}

TEST(Planner, FindsTheCheapestOfAllPlansForChainsOfSmallFilters) {
  int scattered_with_halo = 0;
  int computed_beyond = 0;
  int exchanged_deep = 0;
  for (unsigned seed = 1; seed <= pipelines / 3; ++seed) {
    const Question question = random_question(seed, test::random_chain);
    Plan plan;
    ASSERT_NO_FATAL_FAILURE(find_optimum(question, seed, plan));
    scattered_with_halo +=
        has_step(plan, [](const PlanStep& step) { return step.kind == StepKind::scatter && !step.exchanged.empty(); });
    computed_beyond += has_step(plan, [](const PlanStep& step) { return !step.margin.empty(); });
    exchanged_deep += has_step(plan, [&](const PlanStep& step) {
      return step.kind == StepKind::exchange && step.exchanged != question.pipeline.storage_halo(step.image);
    });
  }
  EXPECT_GT(scattered_with_halo, 20);
  EXPECT_GT(computed_beyond, 20);
  EXPECT_GT(exchanged_deep, 2);
}

TEST(Planner, FindsTheCheapestOfAllPlansThatMayOverlapExchanges) {
  constexpr int large = 8;  // so that there is something to compute meanwhile
  int overlapped = 0;
  int waiting = 0;
  for (unsigned seed = 2; seed <= pipelines / 2; seed += 2) {
    Question question = random_question(seed, test::random_chain, large);
    question.space.halo = HaloChoice::shallow;
    question.space.in_turn = false;
    question.space.distribution = Distribution::scatter;
    const auto model = make_cost_model("", question.profile);
    const Plan free = plan_pipeline(question.pipeline, question.profile, *model, question.space);
    question.space.overlap = false;
    const Plan without = plan_pipeline(question.pipeline, question.profile, *model, question.space);
    EXPECT_LE(*free.predicted_seconds, *without.predicted_seconds * (1 + 1e-12));
    EXPECT_FALSE(has_step(without, [](const PlanStep& step) { return step.overlapped; }));
    question = random_question(seed, test::random_chain, large);
    Plan plan;
    ASSERT_NO_FATAL_FAILURE(find_optimum(question, seed, plan));
    overlapped += has_step(free, [](const PlanStep& step) { return step.overlapped; });
    waiting += has_step(free, [](const PlanStep& step) { return step.kind == StepKind::exchange && !step.overlapped; });
  }
  EXPECT_GT(overlapped, 5);
  EXPECT_GT(waiting, 5);
}

TEST(Planner, FindsTheCheapestOfAllPlansThatMayChangeTheGrid) {
  int changed = 0;
  for (unsigned seed = 1; seed <= pipelines; ++seed) {
    const Question question = random_question(seed, test::random_wide_and_tall);
    Plan plan;
    ASSERT_NO_FATAL_FAILURE(find_optimum(question, seed, plan));
    changed += has_step(plan, [](const PlanStep& step) { return step.kind == StepKind::redistribute; });
  }
  EXPECT_GT(changed, 5);
}

TEST(Planner, FindsTheCheapestOfAllPlansOnUnequalNodes) {
  int uneven = 0;
  int even = 0;
  constexpr MakePipeline makers[] = {test::random_pipeline, test::random_chain, test::random_wide_and_tall};
  for (unsigned seed = 1; seed <= pipelines; ++seed) {
    Question question = random_question(seed, makers[seed % std::size(makers)]);
    Random random(seed);
    for (int rank = 0; rank < question.space.max_ranks; ++rank) {
      question.space.rank_speeds.push_back(random.between(1, 4));
    }
    Plan plan;
    ASSERT_NO_FATAL_FAILURE(find_optimum(question, seed, plan));
    if (plan.ranks > 1) (plan.grid.is_even() ? even : uneven) += 1;
  }
  EXPECT_GT(uneven, 40);
  EXPECT_GT(even, 5);
}

TEST(Planner, FindsTheCheapestOfAllPlansThatServeRanksInTurn) {
  int possible = 0;
  int hidden = 0;
  constexpr MakePipeline makers[] = {test::random_pipeline, test::random_chain};
  for (unsigned seed = 1; seed <= pipelines; ++seed) {
    constexpr int large = 24;  // so that messages are answered
    Question question = random_question(seed, makers[seed % std::size(makers)], large);
    question.space.in_turn = true;
    if (seed % 3 == 0) question.space.tiles = TileSizes::less_on_root;
    const auto model = make_cost_model("", question.profile);
    std::optional<Plan> plan;
    const double least = optimum_in_turn(question, *model, infinity);
    ASSERT_NO_FATAL_FAILURE(plan_of_cost(question, *model, least, seed, plan));
    if (!plan) continue;
    ++possible;
    hidden += has_step(*plan, [](const PlanStep& step) { return step.hidden_seconds > 0; });
  }
  EXPECT_GT(possible, 100);
  EXPECT_GT(hidden, 50);
}

TEST(Planner, FindsTheCheapestOfAllPlansThatKeepImagesOnTilesOrFindThemThere) {
  int kept = 0;
  int found = 0;
  int gathered = 0;
  int brought_up = 0;
  constexpr MakePipeline makers[] = {test::random_pipeline, test::random_chain};
  for (unsigned seed = 1; seed <= pipelines; ++seed) {
    Question question = random_question(seed, makers[seed % std::size(makers)]);
    Random random(seed);
    const int ranks = question.space.max_ranks;
    const std::vector<ProcessGrid> grids = grids_of(ranks);
    const bool is_tiled = ranks > 1 && random.below(2) == 0;
    const auto grid = is_tiled
                          ? std::optional(grids[static_cast<std::size_t>(random.below(static_cast<int>(grids.size())))])
                          : std::nullopt;
    question.pipeline = test::with_kept(random, std::move(question.pipeline), grid);
    question.profile = test::with_file_costs(random, question.profile);
    question.space.keeps_in_place = random.below(3) > 0;
    for (int i = 0; i < static_cast<int>(question.pipeline.images.size()); ++i) {
      const bool is_source = question.pipeline.images[static_cast<std::size_t>(i)].source != nullptr;
      if (is_source && random.below(3) == 0) question.space.counted[i] = random.between(0.01, 1);
    }
    const auto model = make_cost_model("", question.profile);
    std::optional<Plan> possible;
    ASSERT_NO_FATAL_FAILURE(plan_of_cost(question, *model, optimum_with_kept(question, *model), seed, possible));
    if (!possible) continue;
    const Plan& plan = *possible;
    const bool finds =
        has_step(plan, [](const PlanStep& step) { return step.kind == StepKind::read && step.site == Site::tiles; });
    found += finds;
    gathered += finds && has_step(plan, [](const PlanStep& step) { return step.kind == StepKind::gather; });
    for (const PlanImage& image : plan.images) kept += image.stays_on_tiles;
    brought_up += !finds && plan.ranks > 1;
  }
  EXPECT_GT(kept, 40);
  EXPECT_GT(found, 40);
  EXPECT_GT(gathered, 20);
  EXPECT_GT(brought_up, 20);
}

TEST(Planner, FindsTheCheapestOfAllPlansThatMayHaveFilesInParts) {
  int on_root = 0;
  int on_tiles = 0;
  int with_halo = 0;
  int written = 0;
  constexpr MakePipeline makers[] = {test::random_pipeline, test::random_chain, test::random_wide_and_tall};
  for (unsigned seed = 1; seed <= pipelines; ++seed) {
    Question question = random_question(seed, makers[seed % std::size(makers)]);
    Random random(seed);
    question.pipeline = test::with_files(random, std::move(question.pipeline));
    question.profile = test::with_file_costs(random, question.profile);
    Plan plan;
    ASSERT_NO_FATAL_FAILURE(find_optimum(question, seed, plan));
    const auto reads = [&](Site site) {
      return has_step(plan, [&](const PlanStep& s) { return s.kind == StepKind::read && s.site == site; });
    };
    on_root += plan.ranks > 1 && reads(Site::root);
    on_tiles += reads(Site::tiles);
    written +=
        has_step(plan, [](const PlanStep& step) { return step.kind == StepKind::write && step.site == Site::tiles; });
    with_halo +=
        has_step(plan, [](const PlanStep& step) { return step.kind == StepKind::read && !step.exchanged.empty(); });
  }
  EXPECT_GT(on_root, 20);
  EXPECT_GT(on_tiles, 20);
  EXPECT_GT(with_halo, 5);
  EXPECT_GT(written, 5);
}

TEST(Planner, FindsTheCheapestOfThePlansThatChangeTheGridWhereThatIsForced) {
  for (unsigned seed = 1; seed <= pipelines / 3; ++seed) {
    Question question = random_question(seed, test::random_wide_and_tall);
    question.space.regrid = Regrid::always;
    const auto model = make_cost_model("", question.profile);
    std::optional<Plan> plan;
    ASSERT_NO_FATAL_FAILURE(plan_of_cost(question, *model, optimum_of_regridding(question, *model), seed, plan));
  }
}

/// The same machine, measured with a spread.
MachineProfile with_spread(const MachineProfile& exact, Random& random) {
  std::vector<PathCell> paths = exact.paths();
  for (PathCell& cell : paths) cell.time = {cell.time.seconds, random.between(0.01, 0.5) * cell.time.seconds, 9};
  std::vector<OperatorCell> operators = exact.operators();
  for (OperatorCell& cell : operators) {
    Estimate& time = cell.time_per_unit;
    time = {time.seconds, random.between(0.01, 0.5) * time.seconds, 9};
  }
  return {exact.name(), exact.fingerprint(), std::move(paths), std::move(operators)};
}

TEST(Planner, StaysWithinTheTieZoneOfTheCheapestOfAllPlans) {
  int ties = 0;
  for (unsigned seed = 1; seed <= pipelines; ++seed) {
    Question question = random_question(seed);
    Random random(seed + pipelines);
    question.profile = with_spread(question.profile, random);
    const auto model = make_cost_model("", question.profile);
    const Plan plan = plan_pipeline(question.pipeline, question.profile, *model, question.space);
    const double least = optimum_of_all_plans(question, *model).seconds;
    const double rounding = 1e-12 * least;
    ASSERT_NEAR(*plan.lower_bound_seconds, least, rounding) << "seed " << seed;
    EXPECT_TRUE(plan.proven_optimal);
    EXPECT_NEAR(plan.tie ? plan.tie->fastest_seconds : *plan.predicted_seconds, least, rounding) << "seed " << seed;
    if (!plan.tie) continue;
    EXPECT_LE(*plan.predicted_seconds, least + plan.tie->zone_seconds + rounding) << "seed " << seed;
    EXPECT_LE(plan.ranks, plan.tie->fastest_grid.x * plan.tie->fastest_grid.y) << "seed " << seed;
    ++ties;
  }
  EXPECT_GT(ties, 5);
  EXPECT_LT(ties, static_cast<int>(pipelines) / 3) << "a zone so wide would choose nothing";
}

}  // namespace
}  // namespace tilewright
