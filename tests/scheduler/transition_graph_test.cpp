// The transition graph against an oracle that tries everything, and its limits.
#include "../../scheduler/transition_graph.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <string>

#include "scheduler/placement_search.hpp"
#include "scheduler/random_pipelines.hpp"
#include "support/test_pipeline.hpp"

namespace tilewright {
namespace {

using test::Random;
using test::random_pipeline;
using Kind = Transition::Kind;
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::size_t no_limit = 1000000;

/// Whole numbers of seconds, so that sums are exact; some transitions are not possible.
class RandomPrices {
 public:
  explicit RandomPrices(Random& random) : random_(random) {}
  double operator()(const Transition& transition) {
    if (transition.kind == Kind::none) return 0;
    const auto [position, is_new] = prices_.try_emplace(transition, 0);
    const bool certain = transition.kind == Kind::read || transition.kind == Kind::write;
    if (is_new) position->second = !certain && random_.below(12) == 0 ? infinity : random_.below(30);
    return position->second;
  }

 private:
  Random& random_;
  std::map<Transition, double> prices_;
};

std::vector<double> price_all(const TransitionGraph& graph, const test::TransitionPrice& price) {
  std::vector<double> seconds;
  for (const Transition& transition : graph.transitions) seconds.push_back(price(transition));
  return seconds;
}

/// Of a random pipeline, with all that there is to choose from.
struct PricedGraph {
  explicit PricedGraph(unsigned seed) : random(seed) {}
  PricedGraph(const PricedGraph&) = delete;  // prices refer to it
  PricedGraph& operator=(const PricedGraph&) = delete;
  ~PricedGraph() = default;

  Random random;
  Pipeline pipeline = random_pipeline(random);
  RandomPrices prices{random};
  test::TransitionPrice price = std::ref(prices);
  TransitionGraph graph =
      make_transition_graph(pipeline, no_limit, {}, {.algorithms = all_algorithms, .overlaps = true});
  std::vector<double> seconds = price_all(graph, price);
};

/// With all that there is to choose from, also files that ranks can read and write in parts.
TransitionGraph graph_with_parts(const Pipeline& pipeline) {
  return make_transition_graph(
      pipeline, no_limit, {}, {all_algorithms, test::in_parts(pipeline), test::out_parts(pipeline), false, true, true});
}

bool holds(const ShortestPath& path, Kind kind, const TransitionGraph& graph) {
  return std::any_of(path.transitions.begin(), path.transitions.end(),
                     [&](int i) { return graph.transitions[static_cast<std::size_t>(i)].kind == kind; });
}

double sum_of(const ShortestPath& path, const std::vector<double>& seconds) {
  double sum = 0;
  for (const int transition : path.transitions) sum += seconds[static_cast<std::size_t>(transition)];
  return sum;
}

TEST(TransitionGraph, ShortestPathIsTheOptimumOfAllWays) {
  int possible = 0;
  for (unsigned seed = 1; seed <= 600; ++seed) {
    const PricedGraph question(seed);
    const TransitionGraph& graph = question.graph;
    const std::vector<double>& seconds = question.seconds;
    const auto path = shortest_path(graph, seconds);
    const double expected = test::PlacementSearch(question.pipeline, question.price).cheapest();
    ASSERT_EQ(path ? path->seconds : infinity, expected) << "seed " << seed << "\n" << question.pipeline.describe();
    EXPECT_FALSE(graph.cut);
    if (!path) continue;
    EXPECT_EQ(sum_of(*path, seconds), expected);
    ++possible;
  }
  EXPECT_GT(possible, 400);
}

TEST(TransitionGraph, ShortestPathIsTheOptimumOfAllWaysWithFilesThatAreReadInParts) {
  int read_on_tiles = 0;
  int read_both_ways = 0;
  int written_on_tiles = 0;
  for (unsigned seed = 1; seed <= 600; ++seed) {
    Random random(seed);
    const Pipeline pipeline = test::with_files(random, random_pipeline(random));
    RandomPrices prices(random);
    const test::TransitionPrice price = std::ref(prices);
    const TransitionGraph graph = graph_with_parts(pipeline);
    const std::vector<double> seconds = price_all(graph, price);
    const auto path = shortest_path(graph, seconds);
    const double expected =
        test::PlacementSearch(pipeline, price, 1, test::in_parts(pipeline), test::out_parts(pipeline)).cheapest();
    ASSERT_EQ(path ? path->seconds : infinity, expected) << "seed " << seed << "\n" << pipeline.describe();
    if (!path) continue;
    read_on_tiles += holds(*path, Kind::read_tiles, graph);
    written_on_tiles += holds(*path, Kind::write_tiles, graph);
    read_both_ways += holds(*path, Kind::read_tiles, graph) && holds(*path, Kind::read, graph);
  }
  EXPECT_GT(read_on_tiles, 50);
  EXPECT_GT(read_both_ways, 10);
  EXPECT_GT(written_on_tiles, 50);
}

TEST(TransitionGraph, ShortestPathIsTheOptimumOfAllWaysWhereMuchIsFetched) {
  int everywhere = 0;
  int from_tiles = 0;
  for (unsigned seed = 1; seed <= 600; ++seed) {
    Random random(seed);
    Pipeline pipeline = test::with_fetched(random, random_pipeline(random));
    if (seed % 2 == 0) pipeline = test::with_files(random, std::move(pipeline));
    RandomPrices prices(random);
    const test::TransitionPrice price = std::ref(prices);
    const TransitionGraph graph = graph_with_parts(pipeline);
    const std::vector<double> seconds = price_all(graph, price);
    for (const bool on_all_ranks : {false, true}) {
      const auto path = shortest_path(graph, seconds, on_all_ranks ? via_all_ranks : Via());
      test::PlacementSearch search(pipeline, price, 1, test::in_parts(pipeline), test::out_parts(pipeline));
      const double expected = on_all_ranks ? search.cheapest_on_all_ranks() : search.cheapest();
      ASSERT_EQ(path ? path->seconds : infinity, expected) << "seed " << seed << "\n" << pipeline.describe();
      if (!path) continue;
      everywhere += holds(*path, Kind::compute_everywhere, graph);
      from_tiles += holds(*path, Kind::compute_everywhere, graph) && holds(*path, Kind::allgather, graph);
    }
  }
  EXPECT_GT(everywhere, 100);
  EXPECT_GT(from_tiles, 20);
}

TEST(TransitionGraph, ComputesEverywhereOnlyWhatIsFetchedOrWhatThatIsMadeOf) {
  const Image in = test::source();
  const Image kept = test::filter({in}, {.name = "kept"});
  const Image first = test::filter({in}, {.name = "first"});
  const Pipeline pipeline = record({test::write(kept), test::fetch(test::filter({first}))});
  std::set<std::string> everywhere;
  for (const Transition& transition : make_transition_graph(pipeline, no_limit).transitions) {
    if (transition.kind != Kind::compute_everywhere) continue;
    everywhere.insert(pipeline.images[static_cast<std::size_t>(transition.subject)].op->describe());
  }
  EXPECT_EQ(everywhere.size(), 2U);
  EXPECT_FALSE(everywhere.contains(pipeline.images[1].op->describe()));
  Offer offer;
  offer.everywhere = false;
  const TransitionGraph without = make_transition_graph(pipeline, no_limit, {}, offer);
  EXPECT_TRUE(std::none_of(without.transitions.begin(), without.transitions.end(),
                           [](const Transition& transition) { return transition.kind == Kind::compute_everywhere; }));
}

TEST(TransitionGraph, IsWithoutComputingEverywhereBeforeWhatIsTiledHasToStaySo) {
  const Image in = test::source();
  const Pipeline pipeline = record({test::fetch(test::filter({in})), test::fetch(test::filter({in}, {.name = "b"}))});
  Offer offer;
  offer.everywhere = false;
  const TransitionGraph without = make_transition_graph(pipeline, no_limit, {}, offer);
  const std::size_t states = boost::num_vertices(without.graph);
  ASSERT_LT(states, boost::num_vertices(make_transition_graph(pipeline, no_limit).graph));
  const TransitionGraph cut = make_transition_graph(pipeline, states);
  EXPECT_TRUE(cut.cut);
  EXPECT_EQ(cut.transitions, without.transitions);
}

TEST(TransitionGraph, EveryEdgeLeadsUpwards) {
  for (unsigned seed = 1; seed <= 50; ++seed) {
    Random random(seed);
    const TransitionGraph graph = make_transition_graph(random_pipeline(random), no_limit);
    const auto [first, last] = boost::edges(graph.graph);
    for (auto edge = first; edge != last; ++edge) {
      ASSERT_LT(boost::source(*edge, graph.graph), boost::target(*edge, graph.graph)) << "seed " << seed;
    }
    EXPECT_EQ(graph.start, 0U);
    EXPECT_EQ(graph.goal, boost::num_vertices(graph.graph) - 1);
  }
}

TEST(TransitionGraph, CutStillHoldsAPathThatIsNoBetterThanTheOptimum) {
  int optimal = 0;
  for (unsigned seed = 1; seed <= 300; ++seed) {
    Random random(seed);
    const Pipeline pipeline = random_pipeline(random);
    // Everything is possible here: what a limited search leaves out must not leave it without any path.
    std::map<Transition, double> prices;
    const test::TransitionPrice price = [&](const Transition& t) {
      if (t.kind == Kind::none) return 0.0;
      return prices.try_emplace(t, random.below(30)).first->second;
    };
    const double best = test::PlacementSearch(pipeline, price).cheapest();
    for (const std::size_t max_states : {1U, 8U, 20U}) {
      const TransitionGraph graph = make_transition_graph(pipeline, max_states);
      const auto path = shortest_path(graph, price_all(graph, price));
      ASSERT_TRUE(path) << "seed " << seed;
      EXPECT_GE(path->seconds, best) << "seed " << seed;
      EXPECT_TRUE(graph.cut || boost::num_vertices(graph.graph) <= max_states);
      optimal += graph.cut && path->seconds == best ? 1 : 0;
    }
  }
  EXPECT_GT(optimal, 0);
}

/// All on tiles, or all on the root, must survive any limit: one of them is what a forced decision asks for.
TEST(TransitionGraph, CutHoldsBothTheTilesAndTheRoot) {
  for (unsigned seed = 1; seed <= 100; ++seed) {
    Random random(seed);
    const Pipeline pipeline = random_pipeline(random);
    for (const std::size_t max_states : {1U, 20U}) {
      const TransitionGraph graph = make_transition_graph(pipeline, max_states);
      for (const Kind forbidden : {Kind::compute_root, Kind::compute_tiles}) {
        for (const Kind way : {Kind::scatter, Kind::broadcast}) {
          const auto seconds = price_all(
              graph, [&](const Transition& t) { return t.kind == forbidden || t.kind == way ? infinity : 1; });
          EXPECT_TRUE(shortest_path(graph, seconds)) << "seed " << seed << " max_states " << max_states;
        }
      }
    }
  }
}

/// `size` filters of one image that all live until the last of them has been reduced.
Pipeline bank(int size) {
  const Image in = test::source();
  std::vector<Image> filtered;
  std::vector<OutputRequest> outputs;
  for (int i = 0; i < size; ++i) {
    filtered.push_back(test::filter({in}, {.name = "filter" + std::to_string(i), .halo = {3, 3}}));
    outputs.push_back(test::reduce(filtered.back()));
  }
  outputs.push_back(test::write(test::filter(filtered, {.name = "sum"})));
  return record(outputs);
}

TEST(TransitionGraph, DoesNotExplodeWithManyImagesAlive) {
  constexpr std::size_t max_states = 20000;
  const TransitionGraph small = make_transition_graph(bank(4), max_states);
  EXPECT_FALSE(small.cut);
  const TransitionGraph graph = make_transition_graph(bank(36), max_states);
  EXPECT_TRUE(graph.cut);
  EXPECT_LE(boost::num_vertices(graph.graph), max_states);
  EXPECT_TRUE(shortest_path(graph, std::vector<double>(graph.transitions.size(), 1)));
}

TEST(TransitionGraph, DoesNotExplodeWithManySourcesAlive) {
  std::vector<Image> sources;
  for (int i = 0; i < 36; ++i) sources.push_back(test::source({.name = "source" + std::to_string(i)}));
  const Image sum = test::filter(sources, {.name = "sum"});
  std::vector<OutputRequest> outputs{test::write(sum)};
  for (const Image& image : sources) outputs.push_back(test::write(test::filter({image, sum}, {.halo = {1, 1}})));
  for (const std::size_t max_states : {50U, 20000U}) {
    const TransitionGraph graph = make_transition_graph(record(outputs), max_states);
    EXPECT_TRUE(graph.cut);
    EXPECT_LE(boost::num_vertices(graph.graph), 20000U);
    EXPECT_TRUE(shortest_path(graph, std::vector<double>(graph.transitions.size(), 1)));
  }
}

TEST(ShortestPath, PrefersScatterToBroadcastAndOftToSbt) {
  for (const Halo halo : {Halo{0, 0}, Halo{1, 1}}) {
    const Image in = test::source();
    const Pipeline pipeline = record({test::write(test::filter({in}, {.halo = halo}))});
    const TransitionGraph graph =
        make_transition_graph(pipeline, no_limit, {}, {.algorithms = all_algorithms, .overlaps = true});
    const auto path = shortest_path(
        graph, price_all(graph, [](const Transition& t) { return t.kind == Kind::compute_root ? infinity : 0.0; }));
    ASSERT_TRUE(path);
    std::vector<Kind> kinds;
    for (const int i : path->transitions) {
      const Transition& transition = graph.transitions[static_cast<std::size_t>(i)];
      kinds.push_back(transition.kind);
      EXPECT_NE(transition.algorithm, Algorithm::sbt);
    }
    EXPECT_EQ(kinds[1], Kind::scatter);
    EXPECT_EQ(kinds.back(), Kind::write);
  }
}

TEST(ShortestPath, ViaAKindHoldsThatKindAtTheLeastCost) {
  for (unsigned seed = 1; seed <= 200; ++seed) {
    const PricedGraph question(seed);
    const Pipeline& pipeline = question.pipeline;
    const TransitionGraph& graph = question.graph;
    const std::vector<double>& seconds = question.seconds;
    const auto free_path = shortest_path(graph, seconds);
    const auto path = shortest_path(graph, seconds, {Kind::compute_tiles});
    const auto holds = [&](const ShortestPath& p) {
      return std::any_of(p.transitions.begin(), p.transitions.end(), [&](int i) {
        return graph.transitions[static_cast<std::size_t>(i)].kind == Kind::compute_tiles;
      });
    };
    // The oracle: the best of the plans in which one operator is not allowed to work but on tiles.
    double expected = infinity;
    for (int image = 0; image < static_cast<int>(pipeline.images.size()); ++image) {
      const test::TransitionPrice price = [&](const Transition& t) {
        const bool is_elsewhere = t.kind == Kind::compute_root || t.kind == Kind::compute_everywhere;
        return is_elsewhere && t.subject == image ? infinity : question.price(t);
      };
      if (pipeline.images[static_cast<std::size_t>(image)].op == nullptr) continue;
      expected = std::min(expected, test::PlacementSearch(pipeline, price).cheapest());
    }
    ASSERT_EQ(path ? path->seconds : infinity, expected) << "seed " << seed;
    if (!path) continue;
    EXPECT_TRUE(holds(*path));
    EXPECT_EQ(sum_of(*path, seconds), path->seconds);
    EXPECT_TRUE(!holds(*free_path) || free_path->seconds == path->seconds);
  }
}

TEST(ShortestPath, IsTheSameForWhoKnowsWhatItTakesAtMost) {
  for (unsigned seed = 1; seed <= 200; ++seed) {
    const PricedGraph question(seed);
    const TransitionGraph& graph = question.graph;
    const std::vector<double>& seconds = question.seconds;
    for (const Via& via : {Via(), Via{Kind::compute_tiles}, via_all_ranks}) {
      const auto path = shortest_path(graph, seconds, via);
      if (!path) continue;
      EXPECT_EQ(seconds_along(path->transitions, seconds), path->seconds) << "seed " << seed;
      for (const double at_most : {path->seconds, 1.5 * path->seconds}) {
        const auto known = shortest_path(graph, seconds, via, {}, at_most);
        ASSERT_TRUE(known) << "seed " << seed;
        EXPECT_EQ(known->transitions, path->transitions) << "seed " << seed;
        EXPECT_EQ(known->vertices, path->vertices) << "seed " << seed;
      }
    }
  }
}

TEST(ShortestPath, IsNoneWhereNothingIsPossible) {
  const TransitionGraph graph = make_transition_graph(record({test::write(test::source())}), no_limit);
  EXPECT_FALSE(shortest_path(graph, std::vector<double>(graph.transitions.size(), infinity)));
}

TEST(TransitionGraph, WrapNeedsACyclicExchangeAgainAfterAnotherBorder) {
  const Image in = test::source();
  const auto wrap = [&](const char* name) {
    return test::filter({in}, {.name = name, .halo = {1, 1}, .border = Border::wrap});
  };
  const Image reflect = test::filter({in}, {.name = "reflect", .halo = {1, 1}, .border = Border::reflect});
  const Pipeline pipeline =
      record({test::reduce(wrap("a")), test::reduce(wrap("b")), test::reduce(reflect), test::reduce(wrap("c"))});
  const TransitionGraph graph =
      make_transition_graph(pipeline, no_limit, {}, {.algorithms = all_algorithms, .overlaps = true});
  const auto path = shortest_path(graph, price_all(graph, [](const Transition& t) {
                                    return t.kind == Kind::compute_root || t.kind == Kind::broadcast ? infinity : 1;
                                  }));
  ASSERT_TRUE(path);
  int exchanges = 0;
  for (const int i : path->transitions) {
    const Transition& transition = graph.transitions[static_cast<std::size_t>(i)];
    if (transition.kind != Kind::exchange) continue;
    EXPECT_TRUE(transition.cyclic);
    ++exchanges;
  }
  EXPECT_EQ(exchanges, 2) << "for a and b together, and for c";
}

}  // namespace
}  // namespace tilewright
