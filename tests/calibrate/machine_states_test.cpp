#include "../../src/calibrate/machine_states.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tilewright {
namespace {

using testing::ElementsAre;

struct Sample {
  double seconds = 0;
  std::size_t moment = 0;
  bool operator==(const Sample&) const = default;
};

/// Round trips that differ by a twentieth from each to the next.
void add_steady(MachineStates& states, double about_s, int count) {
  for (int i = 0; i < count; ++i) states.add(about_s * (i % 2 == 0 ? 1 : 1.05));
}

TEST(MachineStates, AreAnyWhereFewRoundTripsTell) {
  MachineStates states;
  EXPECT_TRUE(states.was_in(states.prevailing(), 0));
  add_steady(states, 1, 6);
  states.add(9);
  EXPECT_EQ(states.prevailing().round_trip_s, 0);
  for (std::size_t moment = 0; moment <= states.moment(); ++moment) {
    EXPECT_TRUE(states.was_in(states.prevailing(), moment)) << moment;
  }
}

TEST(MachineStates, ThatOfMostOfTheTimePrevails) {
  MachineStates states;
  add_steady(states, 3, 12);
  add_steady(states, 1, 20);
  const MachineState state = states.prevailing();
  EXPECT_NEAR(state.round_trip_s, 1.025, 1e-9) << "of those that last as long as this, or 1.05";
  EXPECT_FALSE(states.was_in(state, 0));
  EXPECT_FALSE(states.was_in(state, 9));
  EXPECT_TRUE(states.was_in(state, 16));
  EXPECT_TRUE(states.was_in(state, 32)) << "after the last round trip, too";
}

/// The host moves the processors in the middle of a round trip or two, and half of the time they are far.
TEST(MachineStates, WhatIsBetweenTwoOfThemPrevailsNever) {
  MachineStates states;
  add_steady(states, 3, 20);
  states.add(2);
  add_steady(states, 1, 20);
  EXPECT_NE(states.prevailing().round_trip_s, 2);
  add_steady(states, 1, 1);
  EXPECT_EQ(states.prevailing().round_trip_s, 1);
  add_steady(states, 3, 2);
  EXPECT_NEAR(states.prevailing().round_trip_s, 3.075, 1e-9);
}

TEST(MachineStates, OneRoundTripThatWasDisturbedIsNone) {
  MachineStates states;
  add_steady(states, 1, 10);
  states.add(7);
  add_steady(states, 1, 10);
  for (std::size_t moment = 0; moment <= states.moment(); ++moment) {
    EXPECT_TRUE(states.was_in(states.prevailing(), moment)) << moment;
  }
}

TEST(MachineStates, AreToldAsWellAsRoundTripsRepeat) {
  MachineStates precise, vague;
  for (int i = 0; i < 20; ++i) {
    precise.add(1 + 0.001 * (i % 2));
    vague.add(1 + 0.4 * (i % 2));
  }
  EXPECT_FALSE(precise.was_in(precise.of(1.25), 10));
  EXPECT_TRUE(precise.was_in(precise.of(1.15), 10));
  EXPECT_TRUE(vague.was_in(vague.of(1.4), 10));
  EXPECT_FALSE(vague.was_in(vague.of(2.4), 10));
}

TEST(MachineStates, SamplesCountInOneIfThatTellsMore) {
  MachineStates states;
  add_steady(states, 3, 10);
  add_steady(states, 1, 10);
  const auto counting = [&](const std::vector<Sample>& samples) { return in_state(samples, states, states.of(1)); };
  const Sample other{3, 2}, one{1, 18}, two{1.1, 19};
  EXPECT_THAT(counting({other, other, one}), ElementsAre(one)) << "the median of all would be of the other state";
  EXPECT_THAT(counting({one, two, other}), ElementsAre(one, two, other)) << "it bears one that is not";
  EXPECT_THAT(counting({one, two, other, one, two, one}), ElementsAre(one, two, one, two, one)) << "enough of them";
  EXPECT_THAT(counting({other, other}), ElementsAre(other, other)) << "no cell is lost";
  EXPECT_THAT(in_state(std::vector<Sample>{other, one}, states, {}), ElementsAre(other, one)) << "any state";
}

TEST(MachineStates, TellOfMessagesOfTwoRanks) {
  EXPECT_TRUE(is_told_by_state(message_of_state(false).path));
  EXPECT_TRUE(is_told_by_state(Path::send));
  EXPECT_FALSE(is_told_by_state(Path::swap)) << "measured when no empty message is";
}

}  // namespace
}  // namespace tilewright
