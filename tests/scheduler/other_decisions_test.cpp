// Plans tell what their decisions would take the other way.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "planning.hpp"
#include "tilewright/core/units.hpp"

namespace tilewright {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view beginning = "on this grid otherwise: ";

/// Empty if there is none.
std::string note_of(const Plan& plan) {
  for (const std::string& note : plan.notes) {
    if (note.starts_with(beginning)) return note;
  }
  return {};
}

Pipeline two_filters() {
  const Image in = test::source({.extent = {96, 96}});
  return record({test::write(test::filter({test::filter({in}, {.halo = {2, 2}})}, {.halo = {2, 2}}), "a.tif")});
}

SearchSpace on_four_rows() {
  SearchSpace space{.max_ranks = 4};
  space.grid = GridPattern{1, 4};
  space.halo = HaloChoice::shallow;
  space.second_opinions = true;
  return space;
}

TEST(OtherDecisions, AreToldWithWhatTheyWouldTake) {
  const SearchSpace space = on_four_rows();
  const Pipeline pipeline = two_filters();
  const Plan plan = test::plan_on(pipeline, test::SyntheticMachine{}, space);
  SearchSpace replicated = space;
  replicated.distribution = Distribution::broadcast;
  const Plan other = test::plan_on(pipeline, test::SyntheticMachine{}, replicated);
  EXPECT_THAT(note_of(plan),
              HasSubstr("whole images for all ranks " + format_seconds(*other.predicted_seconds) + ": broadcast "));
}

TEST(OtherDecisions, AreThoseThatAreNotForced) {
  SearchSpace space = on_four_rows();
  space.distribution = Distribution::scatter;
  space.overlap = false;
  space.packing = Packing::manual;
  EXPECT_EQ(note_of(test::plan_on(two_filters(), test::SyntheticMachine{}, space)), "");
  space.halo.reset();
  const std::string of_halos = note_of(test::plan_on(two_filters(), test::SyntheticMachine{}, space));
  EXPECT_THAT(of_halos, testing::AnyOf(HasSubstr("deep halos "), HasSubstr("each halo exchanged ")));
  EXPECT_THAT(of_halos, Not(HasSubstr("whole images")));
}

TEST(OtherDecisions, TellWhatItWouldTakeToSendWhatAllRanksCompute) {
  const Image in = test::source({.extent = {96, 96}});
  const Pipeline pipeline =
      record({test::fetch(test::filter({in}, {.name = "a"})), test::fetch(test::filter({in}, {.name = "b"}))});
  SearchSpace space{.max_ranks = 4, .started_ranks = 4};
  space.second_opinions = true;
  const Plan plan = test::plan_on(pipeline, test::SyntheticMachine{.seconds_per_byte = 1e-6}, space);
  EXPECT_THAT(note_of(plan), HasSubstr("results computed once, and sent to all ranks "));
}

TEST(OtherDecisions, AreToldWhereTheyAreAskedFor) {
  SearchSpace space = on_four_rows();
  space.second_opinions = false;
  EXPECT_EQ(note_of(test::plan_on(two_filters(), test::SyntheticMachine{}, space)), "");
  SearchSpace alone{.max_ranks = 1};
  alone.second_opinions = true;
  EXPECT_EQ(note_of(test::plan_on(two_filters(), test::SyntheticMachine{}, alone)), "")
      << "one rank decides nothing of it";
}

}  // namespace
}  // namespace tilewright
