// Memory as a constraint of the search: what states tell of a path against the account of its plan, and the planner
// against all plans that fit.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "../../scheduler/file_parts.hpp"
#include "../../scheduler/path_memory.hpp"
#include "../../scheduler/plan_steps.hpp"
#include "../../scheduler/sharing.hpp"
#include "scheduler/planning.hpp"
#include "scheduler/random_questions.hpp"

namespace tilewright {
namespace {

using test::Question;
using test::Random;
using testing::HasSubstr;
using Kind = Transition::Kind;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr unsigned questions = 300;

/// Of few tasks, some of its files in parts. Of each transition there is a choice of trees; halos are shallow, and
/// nothing is overlapped or in turn.
Question small_question(unsigned seed) {
  constexpr std::size_t most_tasks = 6;
  constexpr test::MakePipeline makers[] = {test::random_pipeline, test::random_chain};
  for (unsigned tried = seed;; tried += questions) {
    Question question = test::random_question(tried, makers[seed % std::size(makers)]);
    if (question.pipeline.tasks.size() > most_tasks) continue;
    Random random(seed);
    question.pipeline = test::with_files(random, std::move(question.pipeline));
    question.profile = test::with_file_costs(random, question.profile);
    if (seed % 3 == 0) question.pipeline = test::with_fetched(random, std::move(question.pipeline));
    SearchSpace& space = question.space;
    space.max_ranks = 1 + random.below(5);
    space.mappable_nodes = 0;
    space.sharing_ranks = 1;
    space.halo = HaloChoice::shallow;
    space.regrid = Regrid::never;
    space.in_turn = false;
    space.overlap = false;
    return question;
  }
}

Offer offer_of(const Question& question) {
  const auto& [pipeline, profile, space] = question;
  return {offered_algorithms(profile, space), images_in_parts(pipeline, profile, space),
          outputs_in_parts(pipeline, profile, space)};
}

TransitionGraph graph_of(const Question& question) {
  return make_transition_graph(question.pipeline, test::no_limit, question.space.halo, offer_of(question), true);
}

std::vector<Configuration> configurations(const Question& question) {
  std::vector<Configuration> all;
  for (int ranks = 1; ranks <= question.space.max_ranks; ++ranks) {
    for (const ProcessGrid& grid : grids_of(ranks)) all.push_back({ranks, grid});
  }
  return all;
}

Plan plan_of(const Question& question, const TransitionGraph& graph, const std::vector<int>& transitions,
             TransitionPricer& pricer) {
  std::vector<Transition> path;
  for (const int i : transitions) path.push_back(graph.transitions[static_cast<std::size_t>(i)]);
  Plan plan;
  plan.grid = pricer.configuration().grid;
  plan.ranks = pricer.configuration().ranks;
  plan.ranks_per_node = question.space.ranks_per_node;
  plan.threads = threads_of_rank(question.space, plan.grid);
  add_steps(plan, question.pipeline, path, pricer);
  return plan;
}

/// The shortest path when possible transitions cost anything.
std::optional<ShortestPath> any_path(const TransitionGraph& graph, TransitionPricer& pricer, Random& random) {
  std::vector<double> seconds;
  for (const Transition& transition : graph.transitions) {
    seconds.push_back(pricer.least_seconds(transition) < infinity ? random.between(0.01, 1) : infinity);
  }
  return shortest_path(graph, seconds, via_all_ranks);
}

/// What some plan on several ranks needs of a node, less than that: what a search may be limited to. None if there is
/// no such plan.
std::optional<std::int64_t> some_need_below(std::int64_t bytes, const Question& question, const CostModel& model,
                                            Random& random) {
  const TransitionGraph graph = graph_of(question);
  TransitionPricer pricer(question.pipeline, question.profile, model, question.space);
  std::vector<std::int64_t> needs;
  for (const Configuration& configuration : configurations(question)) {
    if (configuration.ranks == 1) continue;
    pricer.configure(configuration);
    const auto path = any_path(graph, pricer, random);
    if (!path) continue;
    const std::int64_t need = node_bytes(plan_of(question, graph, path->transitions, pricer));
    if (need < bytes) needs.push_back(need);
  }
  return needs.empty() ? std::nullopt : std::optional(random.one_of(needs));
}

TEST(PathMemory, IsNeverMoreThanTheAccountOfThePlan) {
  int paths = 0;
  int exact = 0;
  int everywhere = 0;
  for (unsigned seed = 1; seed <= questions; ++seed) {
    const Question question = small_question(seed);
    const auto model = make_cost_model("", question.profile);
    const TransitionGraph graph = graph_of(question);
    TransitionPricer pricer(question.pipeline, question.profile, *model, question.space);
    Random random(seed);
    for (const Configuration& configuration : configurations(question)) {
      if (configuration.ranks == 1) continue;
      pricer.configure(configuration);
      const auto path = any_path(graph, pricer, random);
      if (!path) continue;
      PathMemory memory(question.pipeline, graph, pricer, offer_of(question));
      const RankBytes without_messages = memory.peak(*path);
      memory.count_messages(path->transitions);
      EXPECT_FALSE(memory.count_messages(path->transitions)) << "they have been counted";
      const RankBytes peak = memory.peak(*path);
      const Plan plan = plan_of(question, graph, path->transitions, pricer);
      ASSERT_LE(without_messages.root, peak.root);
      ASSERT_LE(peak.root, plan.root_bytes) << "seed " << seed << "\n" << question.pipeline.describe();
      ASSERT_LE(peak.rank, plan.rank_bytes) << "seed " << seed << "\n" << question.pipeline.describe();
      ++paths;
      everywhere += std::ranges::count(plan.steps, Site::everywhere, &PlanStep::site) > 0;
      exact += peak == RankBytes{plan.root_bytes, plan.rank_bytes};
    }
  }
  EXPECT_GT(paths, 500);
  EXPECT_GT(exact, paths / 2);
  EXPECT_GT(everywhere, 50);
}

/// The least time of all paths whose plans fit, gone through one after another.
class AllThatFit {
 public:
  AllThatFit(const Question& question, const TransitionGraph& graph, TransitionPricer& pricer, double best_s)
      : question_(question), graph_(graph), pricer_(pricer), best_s_(best_s) {
    for (const Transition& transition : graph.transitions) seconds_.push_back(pricer.price(transition).seconds);
    go_on(graph.start, 0, pricer.configuration().ranks == 1);
  }
  /// Or what was known to be possible.
  [[nodiscard]] double best_s() const { return best_s_; }

 private:
  void go_on(TransitionGraph::Vertex vertex, double now_s, bool on_tiles) {
    if (now_s >= best_s_) return;
    if (vertex == graph_.goal) {
      if (on_tiles && fits()) best_s_ = now_s;
      return;
    }
    const auto [first, last] = boost::out_edges(vertex, graph_.graph);
    for (auto edge = first; edge != last; ++edge) {
      const int begin = graph_.graph[*edge].transition;
      for (int i = begin; i < begin + graph_.choices[static_cast<std::size_t>(begin)]; ++i) {
        const bool computes = via_all_ranks.contains(graph_.transitions[static_cast<std::size_t>(i)].kind);
        path_.push_back(i);
        go_on(boost::target(*edge, graph_.graph), now_s + seconds_[static_cast<std::size_t>(i)], on_tiles || computes);
        path_.pop_back();
      }
    }
  }

  [[nodiscard]] bool fits() {
    return node_bytes(plan_of(question_, graph_, path_, pricer_)) <= question_.space.node_memory;
  }

  const Question& question_;
  const TransitionGraph& graph_;
  TransitionPricer& pricer_;
  std::vector<double> seconds_;
  std::vector<int> path_;
  double best_s_;
};

double optimum_that_fits(const Question& question, const CostModel& model) {
  const TransitionGraph graph = graph_of(question);
  TransitionPricer pricer(question.pipeline, question.profile, model, question.space);
  double best_s = infinity;
  for (const Configuration& configuration : configurations(question)) {
    pricer.configure(configuration);
    best_s = AllThatFit(question, graph, pricer, best_s).best_s();
  }
  return best_s;
}

TEST(Memory, LeavesTheFastestOfAllPlansThatFit) {
  int none = 0;
  int on_the_same_grid = 0;
  int on_another_grid = 0;
  int proven = 0;
  int best = 0;
  int everywhere = 0;
  for (unsigned seed = 1; seed <= questions; ++seed) {
    Question question = small_question(seed);
    SCOPED_TRACE(fmt::format("seed {}\n{}", seed, question.pipeline.describe()));
    const auto model = make_cost_model("", question.profile);
    const auto plan = [&] { return plan_pipeline(question.pipeline, question.profile, *model, question.space); };
    const Plan free = plan();
    Random random(seed + questions);
    const auto limit = some_need_below(node_bytes(free), question, *model, random);
    if (!limit) continue;
    question.space.node_memory = *limit - random.below(2);
    const double least_s = optimum_that_fits(question, *model);
    if (least_s == infinity) {
      EXPECT_THROW((void)plan(), ParameterError);
      ++none;
      continue;
    }
    const Plan tight = plan();
    everywhere += std::ranges::count(tight.steps, Site::everywhere, &PlanStep::site) > 0;
    const double rounding = 1e-12 * least_s;
    EXPECT_LE(node_bytes(tight), question.space.node_memory);
    EXPECT_GE(*tight.predicted_seconds, least_s - rounding);
    EXPECT_LE(*tight.lower_bound_seconds, least_s + rounding);
    const bool is_best = *tight.predicted_seconds <= least_s + rounding;
    if (tight.proven_optimal) {
      EXPECT_TRUE(is_best);
    } else {
      EXPECT_THAT(tight.notes, testing::Contains(HasSubstr("of the plans that need less memory")));
    }
    proven += tight.proven_optimal;
    best += is_best;
    (tight.grid == free.grid ? on_the_same_grid : on_another_grid) += 1;
  }
  const int possible = on_the_same_grid + on_another_grid;
  EXPECT_GT(none, 0);
  EXPECT_GT(on_the_same_grid, 10);
  EXPECT_GT(on_another_grid, 20);
  EXPECT_GT(proven, possible * 9 / 10);
  EXPECT_GT(best, possible * 9 / 10);
  EXPECT_GT(everywhere, 0);
}

}  // namespace
}  // namespace tilewright
