#include "tilewright/compare/comparison.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "support/test_profiles.hpp"
#include "tilewright/calibrate/states.hpp"
#include "tilewright/core/error.hpp"
#include "tilewright/model/cell_names.hpp"

namespace tilewright {
namespace {

const ModelComparison& model_of(const Comparison& comparison, const std::string& name) {
  return *std::find_if(comparison.models.begin(), comparison.models.end(),
                       [&](const ModelComparison& model) { return model.model == name; });
}

/// A machine that is exactly as P-3PC has it, with the paper's profile, measured where the profile has no cells.
Measurements as_p3pc_has_it() {
  const MachineProfile das = test::das_profile();
  const auto model = make_cost_model("p3pc", das);
  Measurements measurements;
  for (PathCell cell : held_out_messages(das, 60, 7)) {
    cell.packing = Packing::datatype;
    cell.time = {das.path_seconds(cell.path, cell.layout, static_cast<double>(cell.bytes)), 0, 5};
    measurements.messages.push_back({0, cell});
  }
  for (const TransferSpec& spec : transfers_to_compare(8)) {
    if (spec.packing != Packing::datatype) continue;
    measurements.transfers.push_back({0, spec, {model->transfer_seconds(make_schedule(spec)), 0, 5}});
  }
  return measurements;
}

TEST(HeldOutMessages, AreOfAsManyNodesAsTheCalibration) {
  Fingerprint calibrated;
  EXPECT_EQ(note_on_nodes(calibrated, 2), "") << "unknown";
  calibrated.nodes = 8;
  EXPECT_EQ(note_on_nodes(calibrated, 8), "");
  EXPECT_THAT(note_on_nodes(calibrated, 2), ::testing::HasSubstr("calibrated on 8 nodes, and this is 2"));
  calibrated.nodes = 1;
  EXPECT_THAT(note_on_nodes(calibrated, 2), ::testing::HasSubstr("on 1 node, and this is 2"));
}

TEST(HeldOutMessages, AreOfSizesThatTheProfileHasNot) {
  const MachineProfile das = test::das_profile();
  std::set<std::int64_t> known;
  for (const PathCell& cell : das.paths()) known.insert(cell.bytes);
  const std::vector<PathCell> cells = held_out_messages(das, 200, 3);
  ASSERT_EQ(cells.size(), 200U);
  std::set<std::tuple<Path, Layout, Packing>> kinds;
  std::set<std::int64_t> blocks;
  for (const PathCell& cell : cells) {
    EXPECT_FALSE(known.contains(cell.bytes)) << cell_name(cell);
    EXPECT_GE(cell.bytes, 4) << cell_name(cell);
    EXPECT_LE(cell.bytes, 3 << 20) << cell_name(cell);
    kinds.insert({cell.path, cell.layout, cell.packing});
    if (cell.has_paper_blocks()) continue;
    EXPECT_EQ(cell.bytes % cell.block_bytes, 0) << cell_name(cell);
    EXPECT_GT(cell.stride_bytes, cell.block_bytes) << cell_name(cell);
    EXPECT_LE(cell.bytes / cell.block_bytes * cell.stride_bytes, 33 << 20) << cell_name(cell);
    blocks.insert(cell.block_bytes);
  }
  EXPECT_LE(*blocks.begin(), 16) << "short blocks";
  EXPECT_GE(*blocks.rbegin(), 4096) << "and long ones";
  for (const Path path : all_paths) {
    for (const Layout layout : {Layout::cn, Layout::nc, Layout::nn}) {
      for (const Packing packing : all_packings) {
        EXPECT_TRUE(kinds.contains({path, layout, packing}))
            << to_string(path) << to_string(layout) << to_string(packing);
      }
    }
    EXPECT_TRUE(kinds.contains({path, Layout::cc, Packing::datatype}));
  }
}

TEST(HeldOutMessages, AreTheSameForTheSameSeedOnly) {
  const MachineProfile das = test::das_profile();
  EXPECT_EQ(held_out_messages(das, 30, 5), held_out_messages(das, 30, 5));
  EXPECT_NE(held_out_messages(das, 30, 5), held_out_messages(das, 30, 6));
}

TEST(Compare, FindsNoErrorInAModelThatIsTrue) {
  const Comparison comparison = compare(test::das_profile(), as_p3pc_has_it());
  const ModelComparison& p3pc = model_of(comparison, "p3pc");
  EXPECT_EQ(p3pc.missing, "");
  EXPECT_LT(p3pc.messages.at("all").worst, 1e-9);
  EXPECT_EQ(p3pc.messages.at("all").count, 60U);
  EXPECT_LT(p3pc.transfers.at("all").worst, 1e-9);
  for (const auto& [what, ranking] : p3pc.rankings) {
    EXPECT_DOUBLE_EQ(ranking.hits, static_cast<double>(ranking.questions)) << what;
    EXPECT_NEAR(ranking.worst_regret, 0, 1e-12) << what;
    EXPECT_DOUBLE_EQ(ranking.kendall_tau, 1) << what;
  }
  EXPECT_THAT(p3pc.rankings, testing::UnorderedElementsAre(testing::Key("broadcast"), testing::Key("exchange"),
                                                           testing::Key("gather"), testing::Key("scatter")));
}

/// A straight line that was measured, not imported.
MachineProfile measured_line() {
  const MachineProfile line = test::profile_of({});
  std::vector<PathCell> paths = line.paths();
  for (PathCell& cell : paths) cell.time.samples = 5;
  return {line.name(), line.fingerprint(), paths, line.operators()};
}

/// A profile's own messages, `factor` times as long as when they were calibrated.
std::vector<MeasuredMessage> measured_again(const MachineProfile& profile, double factor) {
  std::vector<MeasuredMessage> known;
  for (PathCell cell : known_messages(profile, 20, 3)) {
    cell.time.seconds *= factor;
    known.push_back({0, cell});
  }
  return known;
}

TEST(KnownMessages, AreTheProfilesAndNoneTwice) {
  const MachineProfile line = measured_line();
  std::set<std::string> of_profile, names;
  for (const PathCell& cell : line.paths()) of_profile.insert(cell_name(cell));
  const std::vector<PathCell> some = known_messages(line, 10, 3);
  ASSERT_EQ(some.size(), 10U);
  for (const PathCell& cell : some) {
    EXPECT_TRUE(of_profile.contains(cell_name(cell)));
    EXPECT_TRUE(names.insert(cell_name(cell)).second) << cell_name(cell);
    EXPECT_GT(cell.bytes, 0);
  }
  EXPECT_EQ(known_messages(line, 10, 3), some);
  EXPECT_LE(known_messages(line, 100000, 3).size(), line.paths().size()) << "as many as there are";
  EXPECT_TRUE(known_messages(test::das_profile(), 10, 3).empty()) << "imported: not of this machine";
}

TEST(Compare, TellsWhatTheMachineHasChangedFromWhatTheModelHasWrong) {
  const MachineProfile line = measured_line();
  Measurements measurements;
  for (PathCell cell : held_out_messages(line, 40, 7)) {
    cell.packing = Packing::datatype;
    cell.block_bytes = cell.stride_bytes = 0;
    cell.time = {1.5 * line.path_seconds(cell.path, cell.layout, static_cast<double>(cell.bytes)), 0, 5};
    measurements.messages.push_back({0, cell});
  }
  EXPECT_TRUE(model_of(compare(line, measurements), "p3pc").messages_without_drift.empty()) << "not known";
  measurements.known = measured_again(line, 1.5);
  measurements.known.front().cell.time.seconds *= 10;  // one that was disturbed
  const Comparison comparison = compare(line, measurements);
  const ModelComparison& p3pc = model_of(comparison, "p3pc");
  EXPECT_NEAR(p3pc.messages.at("all").median, 1.0 / 3, 1e-6);
  EXPECT_LT(p3pc.messages_without_drift.at("all").worst, 1e-6);
  EXPECT_THAT(to_text(comparison), testing::HasSubstr("1.50 times as long"));
  EXPECT_EQ(measurements_from(to_json(comparison)), measurements);
}

TEST(Compare, TakesOutWhatHasChangedOfMessagesThatTheLibraryPacksAndOfOthers) {
  const MachineProfile line = measured_line();
  const auto changed = [](PathCell cell) {
    cell.time.seconds *= cell.layout == Layout::cc ? 1.2 : 2.0;
    return cell;
  };
  Measurements measurements;
  for (PathCell cell : held_out_messages(line, 40, 7)) {
    cell.packing = Packing::datatype;
    cell.block_bytes = cell.stride_bytes = 0;
    cell.time = {line.path_seconds(cell.path, cell.layout, static_cast<double>(cell.bytes)), 0, 5};
    measurements.messages.push_back({0, changed(cell)});
  }
  for (const PathCell& cell : known_messages(line, 60, 3)) measurements.known.push_back({0, changed(cell)});
  EXPECT_LT(model_of(compare(line, measurements), "p3pc").messages_without_drift.at("all").worst, 1e-6);
}

TEST(Compare, TakesOutOfEachLaunchWhatTheMachineHadChangedByThen) {
  const MachineProfile line = measured_line();
  Measurements measurements;
  for (const double factor : {1.0, 2.0}) {
    Measurements launch;
    for (PathCell cell : held_out_messages(line, 20, 7)) {
      cell.packing = Packing::datatype;
      cell.block_bytes = cell.stride_bytes = 0;
      cell.time = {factor * line.path_seconds(cell.path, cell.layout, static_cast<double>(cell.bytes)), 0, 5};
      launch.messages.push_back({0, cell});
    }
    launch.known = measured_again(line, factor);
    measurements.add(launch);
  }
  const Comparison comparison = compare(line, measurements);
  EXPECT_LT(model_of(comparison, "p3pc").messages_without_drift.at("all").worst, 1e-6);
  std::erase_if(measurements.known, [](const MeasuredMessage& message) { return message.launch == 1; });
  const Comparison of_one = compare(line, measurements);
  EXPECT_EQ(model_of(of_one, "p3pc").messages_without_drift.at("all").count, 20U) << "the other's is not known";
}

/// Of a line whose empty message has so many samples that it tells of a state, and messages take `factor` times as
/// long.
MachineProfile state_of_line(double factor) {
  const MachineProfile line = measured_line();
  std::vector<PathCell> paths = line.paths();
  for (PathCell& cell : paths) {
    cell.time.seconds *= factor;
    cell.time.samples = 20;
  }
  return {line.name(), line.fingerprint(), paths, line.operators()};
}

TEST(Compare, PredictsEachLaunchByTheStateThatItMet) {
  const std::vector<MachineProfile> states{state_of_line(1), state_of_line(3)};
  ASSERT_GT(state_of(states[0]), 0);
  Measurements measurements;
  for (const MachineProfile& state : states) {
    Measurements launch;
    for (PathCell cell : held_out_messages(state, 20, 7)) {
      cell.packing = Packing::datatype;
      cell.block_bytes = cell.stride_bytes = 0;
      cell.time = {state.path_seconds(cell.path, cell.layout, static_cast<double>(cell.bytes)), 0, 5};
      launch.messages.push_back({0, cell, cell.time, 5, state_of(state)});
    }
    launch.known = measured_again(state, 1.1);
    for (MeasuredMessage& message : launch.known) message.state_s = state_of(state);
    const auto model = make_cost_model("p3pc", state);
    for (const TransferSpec& spec : transfers_to_compare(4)) {
      if (spec.packing != Packing::datatype) continue;
      const Schedule schedule = make_schedule(spec);
      launch.transfers.push_back({0, spec, {model->transfer_seconds(schedule) + copy_seconds(state, schedule), 0, 5}});
    }
    measurements.add(launch);
  }
  const Comparison comparison = compare(states, measurements);
  const ModelComparison& p3pc = model_of(comparison, "p3pc");
  EXPECT_LT(p3pc.messages.at("all").worst, 1e-9);
  EXPECT_LT(p3pc.transfers.at("all").worst, 1e-9);
  EXPECT_NEAR(p3pc.messages_without_drift.at("all").median, 0.1, 1e-6);
  EXPECT_THAT(comparison.remarks, testing::Contains(testing::HasSubstr("launch 2 met the machine in another state")));
  EXPECT_THAT(comparison.remarks, testing::Not(testing::Contains(testing::HasSubstr("launch 1 met"))));
  EXPECT_THAT(comparison.remarks, testing::Contains(testing::HasSubstr("take 1.10 times as long")));
  EXPECT_EQ(measurements_from(to_json(comparison)), measurements);
  EXPECT_GT(model_of(compare(states[0], measurements), "p3pc").messages.at("all").p90, 0.5) << "one state alone";
}

TEST(Compare, AModelThatCannotPriceWhatWasMeasuredIsLeftOut) {
  const MachineProfile das = test::das_profile();
  std::vector<PathCell> contiguous = das.paths();
  std::erase_if(contiguous, [](const PathCell& cell) { return cell.layout != Layout::cc; });
  const Measurements measurements = as_p3pc_has_it();
  const Comparison comparison = compare({"cc", {}, contiguous, {}}, measurements);
  const ModelComparison& p3pc = model_of(comparison, "p3pc");
  EXPECT_THAT(p3pc.missing, testing::HasSubstr("no measurement of path"));
  EXPECT_TRUE(p3pc.messages.empty());
  EXPECT_TRUE(p3pc.message_seconds.empty());
  EXPECT_EQ(measurements_from(to_json(comparison)), measurements) << "which are not lost";
}

TEST(Compare, KnowsWhichMessagesOfATransferStayWithinANode) {
  const MachineProfile das = test::das_profile();
  std::vector<PathCell> cells = das.paths();
  for (const PathCell& cell : das.paths()) {
    cells.push_back(cell);
    cells.back().within_node = true;
    cells.back().time.seconds /= 10;
  }
  const auto measured_on = [](const NodeMapping& mapping) {
    Measurements measurements;
    for (const TransferSpec& spec : transfers_to_compare(8, mapping)) {
      EXPECT_EQ(spec.grid.mapping, mapping);
      measurements.transfers.push_back({0, spec, {1, 0, 5}});
    }
    return measurements;
  };
  const MachineProfile profile("das", das.fingerprint(), cells, {});
  const Comparison between = compare(profile, measured_on({})), within = compare(profile, measured_on({4}));
  const std::vector<double>& all_between_s = model_of(between, "p3pc").transfer_seconds;
  const std::vector<double>& some_within_s = model_of(within, "p3pc").transfer_seconds;
  ASSERT_EQ(some_within_s.size(), all_between_s.size());
  double all_s = 0, some_s = 0;
  for (std::size_t i = 0; i < all_between_s.size(); ++i) {
    all_s += all_between_s[i];
    some_s += some_within_s[i];
  }
  EXPECT_LT(some_s, 0.9 * all_s);
  EXPECT_EQ(measurements_from(to_json(within)), within.measurements);
}

TEST(Compare, FindsTheErrorsOfOneThatKnowsNoLayout) {
  const Comparison comparison = compare(test::das_profile(), as_p3pc_has_it());
  const ModelComparison& loggp = model_of(comparison, "loggp-star");
  EXPECT_GT(loggp.messages.at("all").median, 0.05);
  EXPECT_GT(loggp.rankings.at("scatter").mean_regret, 0) << "it finds every grid equal";
  EXPECT_LT(loggp.rankings.at("scatter").kendall_tau, 1);
  const Errors& errors = loggp.messages.at("all");
  EXPECT_LE(errors.median_low, errors.median);
  EXPECT_LE(errors.median, errors.median_high);
  EXPECT_LE(errors.median, errors.p90);
  EXPECT_LE(errors.p90, errors.worst);
}

/// Scatters and gathers of which the machine is faster with each packing in turn.
Measurements of_all_packings() {
  Measurements measurements;
  for (const TransferSpec& spec : transfers_to_compare(4)) {
    if (spec.kind == TransferKind::broadcast) continue;
    measurements.transfers.push_back({0, spec, {1e-3 * (1 + static_cast<double>(spec.packing)), 0, 5}});
  }
  return measurements;
}

TEST(Compare, CountsWhatAModelCannotTellAsTheShareThatIsRight) {
  const Comparison comparison = compare(test::das_profile(), of_all_packings());
  const Ranking& pram = model_of(comparison, "pram").rankings.at("packing");
  ASSERT_GT(pram.questions, 0U);
  EXPECT_EQ(pram.undecided, pram.questions) << "it prices all three packings alike";
  EXPECT_NEAR(pram.hits, static_cast<double>(pram.questions) / 3, 1e-9) << "one of three is right";
  EXPECT_NEAR(pram.mean_regret, 1, 1e-9) << "0, 1 and 2 times the fastest one's time are lost";
  EXPECT_NEAR(pram.worst_regret, 1, 1e-9);
  EXPECT_EQ(pram.kendall_tau, 0);
  EXPECT_THAT(to_text(comparison), testing::HasSubstr("cannot tell"));
  EXPECT_THAT(to_html(comparison), testing::HasSubstr("cannot tell"));
  EXPECT_THAT(to_json(comparison), testing::HasSubstr("\"undecided\": "));
}

TEST(Compare, AModelThatTellsChoicesApartIsNotUndecided) {
  const Comparison comparison = compare(test::das_profile(), as_p3pc_has_it());
  const Ranking& exchanges = model_of(comparison, "p3pc").rankings.at("exchange");
  EXPECT_EQ(exchanges.undecided, 0U);
  const Ranking& alike = model_of(comparison, "pram").rankings.at("exchange");
  EXPECT_GT(alike.undecided, 0U);
  EXPECT_LT(alike.hits, static_cast<double>(alike.questions)) << "it takes any of them";
}

TEST(Compare, SaysWhatAModelLacks) {
  const Comparison comparison = compare(test::das_profile(), as_p3pc_has_it());
  EXPECT_THAT(model_of(comparison, "bsp").missing, testing::HasSubstr("barrier"));
  EXPECT_TRUE(model_of(comparison, "bsp").messages.empty());
  EXPECT_THAT(to_text(comparison), testing::HasSubstr("left out"));
}

TEST(Compare, SaysWhereASimpleModelDoesAsWell) {
  // Contiguous messages on a machine that is a straight line: Hockney's.
  const MachineProfile line = test::profile_of({});
  Measurements measurements;
  for (int i = 1; i <= 12; ++i) {
    PathCell cell{Path::full, Layout::cc, 1000 * i, {}};
    cell.time = {line.path_seconds(Path::full, Layout::cc, 1000.0 * i), 0, 5};
    measurements.messages.push_back({0, cell});
  }
  const Comparison comparison = compare(line, measurements);
  ASSERT_EQ(comparison.remarks.size(), 1U);
  EXPECT_THAT(comparison.remarks.front(), testing::AllOf(testing::StartsWith("contiguous"),
                                                         testing::HasSubstr("hockney"), testing::HasSubstr("as well")));
}

TEST(Compare, TellsWhatItLeavesOutBecauseTheMachineHadChanged) {
  Measurements measurements = as_p3pc_has_it();
  for (MeasuredMessage& message : measurements.messages) {
    message.of_any_state = {2 * message.cell.time.seconds, 0, 10};
    message.in_state = 10;
  }
  const auto is_on_states = testing::HasSubstr("the empty message took");
  EXPECT_THAT(compare(test::das_profile(), measurements).remarks, testing::Not(testing::Contains(is_on_states)));
  measurements.messages[0].in_state = 4;
  measurements.messages[1].in_state = 0;
  const Comparison comparison = compare(test::das_profile(), measurements);
  const std::size_t samples = 10 * measurements.messages.size();
  EXPECT_THAT(comparison.remarks,
              testing::Contains(
                  testing::AllOf(is_on_states, testing::HasSubstr(fmt::format("of {} samples 16 were", samples)),
                                 testing::HasSubstr("the 1 messages"), testing::HasSubstr("50.0 % in the median"))));
  EXPECT_NEAR(model_of(comparison, "p3pc-stride").messages_of_any_state.at("all").median, 0.5, 1e-9);
  EXPECT_LT(model_of(comparison, "p3pc-stride").messages.at("all").median, 1e-9);
  EXPECT_EQ(measurements_from(to_json(comparison)), measurements);
}

TEST(Compare, IsReadBack) {
  Measurements measurements = as_p3pc_has_it();
  measurements.add(as_p3pc_has_it());
  EXPECT_EQ(measurements.launches(), 2);
  const Comparison comparison = compare(test::das_profile(), measurements);
  EXPECT_EQ(measurements_from(to_json(comparison)), measurements);
  EXPECT_EQ(machine_of(to_json(comparison)), test::das_profile().name());
  EXPECT_THROW((void)machine_of("{}"), ParameterError);
  EXPECT_THROW((void)measurements_from("{}"), ParameterError);
  EXPECT_THROW((void)measurements_from("{\"schema\": \"tilewright.plan/1\"}"), ParameterError);
  EXPECT_THROW((void)measurements_from(to_json(comparison).substr(0, 1000)), ParameterError);
}

TEST(Compare, HasAPageOfItsOwn) {
  const std::string page = to_html(compare(test::das_profile(), as_p3pc_has_it()));
  EXPECT_THAT(page, testing::AllOf(testing::HasSubstr("<svg"), testing::HasSubstr("p3pc"),
                                   testing::HasSubstr("Layout nn"), testing::Not(testing::HasSubstr("http"))));
  EXPECT_THAT(page, testing::Not(testing::HasSubstr("nan")));
}

}  // namespace
}  // namespace tilewright
