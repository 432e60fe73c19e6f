// Lower bounds against prices, and the search that prices little against one that prices all.
#include "../../scheduler/search.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <limits>

#include "../../scheduler/best_first.hpp"
#include "../../scheduler/bound_of_all.hpp"
#include "../../scheduler/file_parts.hpp"
#include "../../scheduler/node_use.hpp"
#include "../../scheduler/sharing.hpp"
#include "scheduler/planning.hpp"
#include "scheduler/random_pipelines.hpp"
#include "tilewright/core/node_mapping.hpp"
#include "tilewright/core/units.hpp"

namespace tilewright {
namespace {

using test::Random;
using testing::HasSubstr;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr unsigned pipelines = 100;

/// As ranks were started, and with all mappings.
std::vector<Configuration> all_configurations(const SearchSpace& space) {
  std::vector<Configuration> all;
  for (int ranks = 1; ranks <= space.max_ranks; ++ranks) {
    for (const ProcessGrid& grid : grids_of(ranks)) {
      all.push_back({ranks, grid});
      if (space.mappable_nodes < 2) continue;
      for (const NodeMapping& mapping : mappings_of(grid, space)) all.push_back({ranks, with_mapping(grid, mapping)});
    }
  }
  return all;
}

struct Question {
  Pipeline pipeline;
  MachineProfile profile;
  SearchSpace space;
};

/// Messages of which some shapes and paths are dear, so that any transfer may be the one to avoid.
Question random_question(unsigned seed) {
  Random random(seed);
  const Extent extent{1 + random.below(150), 1 + random.below(150)};
  Pipeline pipeline = test::random_pipeline(random, extent);
  const MachineProfile lines = test::profile_of({.latency_s = random.between(1e-6, 1e-3),
                                                 .seconds_per_byte = random.between(1e-10, 1e-7),
                                                 .non_contiguous_factor = random.between(1, 8),
                                                 .seconds_per_value = random.between(1e-9, 1e-5),
                                                 .seconds_per_copied_value = random.between(1e-10, 1e-8),
                                                 .sharing_s = random.between(1e-6, 1e-3),
                                                 .seconds_per_shared_byte = random.between(1e-10, 1e-7)});
  std::vector<PathCell> paths = lines.paths();
  for (PathCell& cell : paths) cell.time.seconds *= random.between(0.5, 4);
  SearchSpace space{
      .max_ranks = 1 + random.below(24), .ranks_per_node = 1 + random.below(3), .sharing_ranks = 1 + random.below(6)};
  if (seed % 4 < 2) {  // messages within nodes have costs of their own
    for (PathCell cell : lines.paths()) {
      cell.within_node = true;
      cell.time.seconds *= random.between(0.01, 1);
      paths.push_back(cell);
    }
    space.ranks_per_node += 1 + random.below(4);
    space.mappable_nodes = (space.max_ranks + space.ranks_per_node - 1) / space.ranks_per_node;
  }
  return {std::move(pipeline), {"random", {}, std::move(paths), lines.operators()}, space};
}

/// Of those of odd number, some sources are in files that ranks can read in parts. Of every third, most is fetched.
Question random_question_with_files(unsigned seed) {
  Question question = random_question(seed);
  Random random(seed);
  if (seed % 3 == 0) question.pipeline = test::with_fetched(random, std::move(question.pipeline));
  if (seed % 2 == 0) return question;
  question.pipeline = test::with_files(random, std::move(question.pipeline));
  question.profile = test::with_file_costs(random, question.profile);
  return question;
}

Offer offer_of(const Question& question) {
  return {offered_algorithms(question.profile, question.space),
          images_in_parts(question.pipeline, question.profile, question.space),
          outputs_in_parts(question.pipeline, question.profile, question.space)};
}

/// The shortest path by full prices of all transitions.
std::optional<ShortestPath> path_by_prices(const Question& question, const TransitionGraph& graph,
                                           TransitionPricer& pricer) {
  std::vector<double> seconds;
  for (const Transition& transition : graph.transitions) seconds.push_back(pricer.price(transition).seconds);
  const auto& images = question.pipeline.images;
  const bool has_operators =
      std::any_of(images.begin(), images.end(), [](const PipelineImage& image) { return image.op != nullptr; });
  const bool is_shared = pricer.configuration().ranks > 1 && has_operators;
  return shortest_path(graph, seconds, is_shared ? via_all_ranks : Via());
}

/// Models that put messages together, that count supersteps, that fall back on others: all that the profile can tell.
std::vector<std::unique_ptr<CostModel>> models_of(const MachineProfile& profile) {
  std::vector<std::unique_ptr<CostModel>> models;
  for (const char* name : {"p3pc-stride", "p3pc", "3pc", "loggp-star", "hockney", "pram"}) {
    models.push_back(make_cost_model(name, profile));
  }
  return models;
}

TEST(LowerBounds, AreNeverMoreThanThePriceOfATransition) {
  for (unsigned seed = 1; seed <= pipelines; ++seed) {
    const Question question = random_question_with_files(seed);
    const TransitionGraph graph =
        make_transition_graph(question.pipeline, question.space.max_states, question.space.halo, offer_of(question));
    for (const auto& model : models_of(question.profile)) {
      TransitionPricer pricer(question.pipeline, question.profile, *model, question.space);
      for (const Configuration& configuration : all_configurations(question.space)) {
        pricer.configure(configuration);
        for (const Transition& transition : graph.transitions) {
          const double least = pricer.least_seconds(transition);
          const double price = pricer.price(transition).seconds;
          ASSERT_LE(least, price) << "seed " << seed << " model " << model->name() << " "
                                  << to_string(step_kind(transition.kind)) << " of image " << transition.subject
                                  << " depth " << transition.depth << " grid " << to_string(configuration.grid);
          if (!has_messages(transition)) {
            ASSERT_EQ(least, price);
          }
          if (price == infinity) {
            ASSERT_EQ(least, infinity);
          }
        }
      }
    }
  }
}

TEST(LowerBounds, AreNeverMoreThanTheShortestPath) {
  std::array<int, 2> tight{};  // without files in parts, and with
  std::array<int, 2> all{};
  for (unsigned seed = 1; seed <= pipelines; ++seed) {
    const Question question = random_question_with_files(seed);
    const auto model = make_cost_model("", question.profile);
    const TransitionGraph graph =
        make_transition_graph(question.pipeline, question.space.max_states, question.space.halo, offer_of(question));
    const Relaxation relaxation(question.pipeline, graph.generations, offer_of(question));
    TransitionPricer pricer(question.pipeline, question.profile, *model, question.space);
    for (const Configuration& configuration : all_configurations(question.space)) {
      pricer.configure(configuration);
      const auto path = path_by_prices(question, graph, pricer);
      const double bound = relaxation.bound(pricer);
      for (const Counted less : {Counted::work, Counted::results, Counted::distributions}) {
        ASSERT_LE(relaxation.bound(pricer, less), bound * (1 + 1e-12)) << "seed " << seed;
      }
      ASSERT_LE(bound, path ? path->seconds : infinity)
          << "seed " << seed << " grid " << to_string(configuration.grid) << "\n"
          << question.pipeline.describe();
      tight[seed % 2] += path && bound > 0.9 * path->seconds;
      all[seed % 2] += path.has_value();
    }
  }
  EXPECT_GT(tight[0], all[0] / 3) << "a bound that is far off spares nothing";
  EXPECT_GT(tight[1], all[1] / 5) << "a bound that is far off spares nothing";
}

TEST(LowerBounds, AreTheSameIfMoreIsCountedLater) {
  for (unsigned seed = 1; seed <= pipelines; ++seed) {
    const Question question = random_question_with_files(seed);
    const auto model = make_cost_model("", question.profile);
    const Relaxation relaxation(question.pipeline, most_generations, offer_of(question));
    TransitionPricer at_once(question.pipeline, question.profile, *model, question.space);
    TransitionPricer later(question.pipeline, question.profile, *model, question.space);
    for (const Configuration& configuration : all_configurations(question.space)) {
      at_once.configure(configuration);
      later.configure(configuration);
      std::vector<BoundParts> parts = relaxation.parts(later, Counted::distributions);
      relaxation.count_more(parts, later, Counted::distributions, Counted::borders);
      ASSERT_EQ(relaxation.bound(parts, configuration.ranks, Counted::borders), relaxation.bound(at_once))
          << "seed " << seed << " grid " << to_string(configuration.grid);
    }
  }
}

TEST(LowerBounds, ConsistOfTheirTerms) {
  int everywhere = 0;
  for (unsigned seed = 1; seed <= pipelines; ++seed) {
    const Question question = random_question_with_files(seed);
    const auto model = make_cost_model("", question.profile);
    const Relaxation relaxation(question.pipeline, most_generations, offer_of(question));
    TransitionPricer pricer(question.pipeline, question.profile, *model, question.space);
    for (const Configuration& configuration : all_configurations(question.space)) {
      pricer.configure(configuration);
      for (const Counted counted : {Counted::work, Counted::results, Counted::distributions, Counted::borders}) {
        const std::vector<BoundParts> parts = relaxation.parts(pricer, counted);
        const double bound = relaxation.bound(parts, configuration.ranks, counted);
        if (bound == infinity) continue;
        const CostTerms terms = relaxation.terms(parts, configuration.ranks, counted, bound);
        double sum = 0;
        for (const StepKind kind : {StepKind::compute, StepKind::scatter, StepKind::exchange, StepKind::reduce,
                                    StepKind::read, StepKind::write}) {
          ASSERT_GE(terms.of(kind), 0);
          sum += terms.of(kind);
        }
        ASSERT_NEAR(sum, bound, 1e-8 * bound) << "seed " << seed << " grid " << to_string(configuration.grid);
      }
      everywhere += !relaxation.parts(pricer, Counted::work).front().everywhere.empty();
    }
  }
  EXPECT_GT(everywhere, 0);
}

TEST(LowerBounds, OfAllConfigurationsAreThatOfTheLeast) {
  int finite = 0;
  for (unsigned seed = 1; seed <= pipelines; ++seed) {
    const Question question = random_question_with_files(seed);
    const auto model = make_cost_model("", question.profile);
    const Offer offer = offer_of(question);
    const Relaxation deep(question.pipeline, most_generations, offer);
    TransitionPricer pricer(question.pipeline, question.profile, *model, question.space);
    std::vector<BoundedConfiguration> known;
    double least = infinity;
    for (const Configuration& configuration : all_configurations(question.space)) {
      pricer.configure(configuration);
      const Counted counted = known.size() % 2 == 0 ? Counted::work : Counted::results;
      known.push_back({configuration, deep.bound(pricer, counted), counted});
      least = std::min(least, deep.bound(pricer));
    }
    const double bound = bound_of_all(question.pipeline, question.profile, *model, question.space, offer, known);
    ASSERT_DOUBLE_EQ(bound, least) << "seed " << seed;
    finite += bound < infinity;
  }
  EXPECT_GT(finite, static_cast<int>(pipelines) / 2);
}

TEST(Search, FindsThePathsOfFullPrices) {
  for (unsigned seed = 1; seed <= pipelines; ++seed) {
    const Question question = random_question_with_files(seed);
    const auto model = make_cost_model("", question.profile);
    const TransitionGraph graph =
        make_transition_graph(question.pipeline, question.space.max_states, question.space.halo, offer_of(question));
    const std::vector<Configuration> configurations = all_configurations(question.space);
    Search search(question.pipeline, question.profile, *model, question.space, configurations);
    TransitionPricer pricer(question.pipeline, question.profile, *model, question.space);
    for (std::size_t i = 0; i < configurations.size(); ++i) {
      pricer.configure(configurations[i]);
      const auto expected = path_by_prices(question, graph, pricer);
      const Candidate& found = search.priced(i);
      ASSERT_EQ(found.path.has_value(), expected.has_value()) << "seed " << seed;
      EXPECT_EQ(found.is_possible(), expected.has_value());
      if (!expected) continue;
      EXPECT_EQ(found.path->seconds, expected->seconds) << "seed " << seed;
      EXPECT_EQ(found.path->transitions, expected->transitions) << "seed " << seed;
    }
  }
}

TEST(Search, YieldsTheBestFirstAndPricesLittle) {
  const Pipeline pipeline = test::filters({512, 512});
  const MachineProfile profile = test::profile_of(test::slow_computing);
  const auto model = make_cost_model("", profile);
  const SearchSpace space{.max_ranks = 128};
  const std::vector<Configuration> configurations = all_configurations(space);
  Search lazy(pipeline, profile, *model, space, configurations);
  const auto priced = [&](const Search& search) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < search.size(); ++i) count += search[i].path.has_value();
    return count;
  };
  EXPECT_EQ(priced(lazy), 0U);
  BestFirst best_first(lazy);
  const auto first = best_first.next();
  ASSERT_TRUE(first);
  EXPECT_LT(priced(lazy), configurations.size() / 20);

  Search complete(pipeline, profile, *model, space, configurations);
  std::size_t best = 0;
  for (std::size_t i = 0; i < configurations.size(); ++i) {
    const Candidate& candidate = complete.priced(i);
    if (candidate.path && candidate.path->seconds < complete[best].path->seconds) best = i;
  }
  EXPECT_EQ(*first, best);
  double before = 0;
  std::size_t count = 1;
  while (const auto next = best_first.next()) {
    EXPECT_GE(lazy[*next].path->seconds, before);
    before = lazy[*next].path->seconds;
    ++count;
  }
  EXPECT_EQ(count, priced(complete));
}

TEST(Search, TellsOfWhatItDidNotPrice) {
  const Plan plan = test::plan_on(test::filters({512, 512}), test::slow_computing, {.max_ranks = 128});
  EXPECT_TRUE(plan.proven_optimal);
  int bounded = 0;
  int priced = 0;
  for (const Alternative& other : plan.alternatives) {
    if (other.predicted_seconds) {
      ++priced;
      EXPECT_FALSE(other.lower_bound_seconds);
    } else if (other.lower_bound_seconds) {
      ++bounded;
      EXPECT_GE(*other.lower_bound_seconds, *plan.predicted_seconds);
      EXPECT_THAT(other.why_not, testing::AnyOf(HasSubstr(": computing alone takes "), HasSubstr(" in this bound")));
    }
  }
  EXPECT_GE(priced, 20);
  EXPECT_GT(bounded, 10 * priced);
}

TEST(Search, NamesTheTermForWhichABoundIsTooMuch) {
  const Pipeline pipeline = test::filters({512, 512});
  const Plan computing = test::plan_on(pipeline, test::slow_computing, {.max_ranks = 128});
  const Alternative* two = test::alternative(computing, {1, 2});
  ASSERT_NE(two, nullptr);
  ASSERT_TRUE(two->lower_bound_seconds);
  // Its files cost nothing, and no transfer is counted yet: the bound is computing.
  const std::string more = format_seconds(*two->lower_bound_seconds - *computing.predicted_seconds);
  EXPECT_THAT(two->why_not, testing::StartsWith("at least " + more + " slower"));
  EXPECT_THAT(two->why_not, HasSubstr("computing alone takes " + more + " more than all of this plan"));

  const Plan sending = test::plan_on(pipeline, {.latency_s = 1e-5, .seconds_per_byte = 1e-9, .seconds_per_value = 1e-7},
                                     {.max_ranks = 128});
  std::vector<std::string> reasons;
  for (const Alternative& other : sending.alternatives) {
    if (other.lower_bound_seconds) reasons.push_back(other.why_not);
  }
  EXPECT_THAT(reasons, testing::Contains(HasSubstr("sending whole images takes ")));
}

}  // namespace
}  // namespace tilewright
