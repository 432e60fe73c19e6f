#include "tilewright/calibrate/states.hpp"

#include <gtest/gtest.h>

#include "../../src/calibrate/refit.hpp"
#include "tilewright/model/cell_names.hpp"

namespace tilewright {
namespace {

constexpr double near_s = 2, far_s = 6;

/// Ten of the cell's, while the empty message takes so long there and back.
void add(std::vector<RawSample>& all, double empty_s, const std::string& cell, double seconds, int launch = 0) {
  for (int i = 0; i < 10; ++i) {
    all.push_back({cell, launch, 0, seconds});
    all.push_back({"full/cc/0", launch, 0, empty_s});
  }
}

/// Nine cells of both states, that of near processors for longer, and one of it alone.
std::vector<RawSample> samples_of_both() {
  std::vector<RawSample> samples;
  for (int values = 2; values < 12; ++values) add(samples, near_s, "send/cc/" + std::to_string(4 * values), 1);
  for (int values = 2; values < 11; ++values) add(samples, far_s, "send/cc/" + std::to_string(4 * values), 4);
  return samples;
}

Fingerprint of_one_node() {
  Fingerprint fingerprint;
  fingerprint.nodes = 1;
  return fingerprint;
}

MachineProfile fitted(const std::vector<RawSample>& samples, const Fingerprint& fingerprint = of_one_node()) {
  return fitted_profile("m", fingerprint, samples);
}

TEST(ProfilesOfStates, AreOfBothThatACalibrationHasMet) {
  const std::vector<RawSample> samples = samples_of_both();
  const MachineProfile profile = fitted(samples);
  const std::vector<MachineProfile> states = profiles_of_states(profile, samples);
  ASSERT_EQ(states.size(), 2U);
  EXPECT_EQ(states[0].paths(), profile.paths());
  EXPECT_EQ(state_of(states[0]), near_s);
  EXPECT_EQ(state_of(states[1]), far_s);
  EXPECT_EQ(states[0].path_seconds(Path::send, Layout::cc, 8), 1);
  EXPECT_EQ(states[1].path_seconds(Path::send, Layout::cc, 8), 4);
  EXPECT_EQ(states[1].path_seconds(Path::send, Layout::cc, 44), 4) << "told by those of both";
  EXPECT_EQ(states[1].name(), "m");
  for (const double far : {4.0, 6.0, 60.0}) EXPECT_EQ(state_of(nearest_state(states, far)), far_s);
  for (const double near : {0.1, 2.0, 3.0, 0.0}) EXPECT_EQ(state_of(nearest_state(states, near)), near_s);
}

TEST(ProfilesOfStates, IsOneWhereTheOtherIsNotKnown) {
  const std::vector<RawSample> samples = samples_of_both();
  EXPECT_EQ(profiles_of_states(fitted(samples), {}).size(), 1U) << "imported";
  const Refresh refresh{.date = "2026-11-30T00:00:00Z"};
  EXPECT_EQ(profiles_of_states(fitted(samples).with_refresh(refresh), samples).size(), 1U)
      << "refreshed: tells of the state that it met then";
  Fingerprint of_two = of_one_node();
  of_two.nodes = 2;
  EXPECT_EQ(profiles_of_states(fitted(samples, of_two), samples).size(), 1U) << "rationed";

  std::vector<RawSample> half;
  for (const std::string cell : {"send/cc/8", "send/cc/16", "send/cc/24"}) add(half, near_s, cell, 1);
  add(half, far_s, "send/cc/8", 3);
  EXPECT_EQ(profiles_of_states(fitted(half), half).size(), 1U) << "most messages were not measured in it";

  std::vector<RawSample> alike;
  add(alike, near_s, "send/cc/8", 1);
  add(alike, near_s, "send/cc/8", 1);
  add(alike, 1.3 * near_s, "send/cc/8", 1.3);
  EXPECT_EQ(profiles_of_states(fitted(alike), alike).size(), 1U) << "no other distance of processors";
}

/// Of launches that have never been in a state none tells of it.
TEST(ProfilesOfStates, AreOfTheLaunchesThatMetThem) {
  std::vector<RawSample> samples = samples_of_both();
  for (int values = 2; values < 12; ++values) add(samples, near_s, "send/cc/" + std::to_string(4 * values), 1, 1);
  const std::vector<MachineProfile> states = profiles_of_states(fitted(samples), samples);
  ASSERT_EQ(states.size(), 2U);
  EXPECT_EQ(states[1].path_seconds(Path::send, Layout::cc, 8), 4);
}

}  // namespace
}  // namespace tilewright
