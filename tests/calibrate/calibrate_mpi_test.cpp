#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "../../src/calibrate/machine_states.hpp"
#include "../../src/calibrate/marked_samples.hpp"
#include "support/mpi_environment.hpp"
#include "tilewright/benchdb/store.hpp"
#include "tilewright/calibrate/calibrate.hpp"
#include "tilewright/calibrate/fit.hpp"
#include "tilewright/calibrate/message_shape.hpp"
#include "tilewright/core/error.hpp"
#include "tilewright/imgops/benchmarks.hpp"
#include "tilewright/model/cell_names.hpp"
#include "tilewright/model/message_overheads.hpp"
#include "tilewright/model/warmth.hpp"

namespace tilewright {
namespace {

using test::world;

CalibrationOptions brief() {
  return {.machine = "here", .sizes = {0, 50, 1024, 51200}, .budget_s = 0.2};
}

/// A calibration, and what it told on its way.
struct Recorded {
  Calibration calibration;
  std::vector<Calibration> checkpoints;
  std::vector<double> seconds;  ///< measured until then
};

Recorded record_calibration() {
  Recorded recorded;
  CalibrationOptions options = brief();
  options.on_checkpoint = [&](const Calibration& so_far, double measured_s) {
    recorded.checkpoints.push_back(so_far);
    recorded.seconds.push_back(measured_s);
  };
  recorded.calibration = calibrate(world(), options);
  return recorded;
}

/// One serves the tests that only look at it.
const Recorded& recorded() {
  static const Recorded once = record_calibration();
  return once;
}

const Calibration& result() {
  return recorded().calibration;
}

/// As it was taken: whether something disturbed it, and after how many round trips of the empty message.
struct SampleOfState : MarkedSample {
  std::size_t moment = 0;
};

/// Of one cell, those that count: undisturbed, of the state in which the machine was for most of the time.
struct CountedSamples {
  std::vector<double> seconds;
  bool met_state = true;  ///< else they are of other states, and others tell what they would have been in that one
};

std::map<std::string, CountedSamples> samples_by_cell(const Calibration& calibration) {
  std::map<std::string, std::vector<SampleOfState>> all;
  MachineStates states;
  for (const RawSample& sample : calibration.samples) {
    all[sample.cell].push_back({{sample.seconds, sample.disturbed}, states.moment()});
    if (sample.cell == cell_name(message_of_state(false))) states.add(sample.seconds);
  }
  const MachineState prevailing = states.prevailing();
  std::map<std::string, CountedSamples> by_cell;
  for (const auto& [name, samples] : all) {
    const auto cell = path_cell_named(name);
    const bool has_states = cell && is_told_by_state(cell->path);
    by_cell[name] = {counted(has_states ? in_state(samples, states, prevailing) : samples),
                     !has_states || std::ranges::any_of(samples, [&](const SampleOfState& sample) {
                       return states.was_in(prevailing, sample.moment);
                     })};
  }
  return by_cell;
}

std::string empty_full(Layout layout) {
  return cell_name(PathCell{Path::full, layout, 0, {}});
}

TEST(Calibrate, OnlyTheRootHasData) {
  const Calibration& calibration = result();
  EXPECT_EQ(calibration.samples.empty(), !world().is_root());
  EXPECT_EQ(calibration.profile.has_operators(), world().is_root());
  EXPECT_EQ(calibration.profile.has_paths(), world().is_root() && world().ranks() > 1);
}

/// Of a square image cut into strips, with the rows that filters look beyond them; in values.
std::int64_t tile_of(std::int64_t image_side) {
  return image_side * ((image_side + world().ranks() - 1) / world().ranks() + 8);
}

/// What all ranks together pass through the caches, on a machine of 4 GiB or more. Bytes.
std::vector<std::int64_t> passed() {
  constexpr std::int64_t mebibyte = 1 << 20;
  std::vector<std::int64_t> all;
  for (std::int64_t bytes = mebibyte / 4 * world().ranks(); bytes <= 512 * mebibyte; bytes *= 2) all.push_back(bytes);
  return all;
}

TEST(Calibrate, EveryPathLayoutAndSizeIsThere) {
  const Calibration& calibration = result();
  if (!calibration.profile.has_paths()) return;  // checked above: one rank alone, or not the root
  std::set<std::string> expected;
  for (const Path path : all_paths) {
    for (const Layout layout : all_layouts) {
      for (const std::int64_t values : {0, 50, 1024, 51200}) {
        expected.insert(cell_name(PathCell{path, layout, values_sent(layout, values) * value_bytes, {}}));
      }
    }
  }
  for (const Path path : {Path::shift, Path::swap}) {
    if (path == Path::shift && world().ranks() == 2) continue;  // nobody has two neighbours
    for (const Layout layout : {Layout::cc, Layout::nn}) {
      for (const std::int64_t values : {0, 50, 1024, 51200}) {
        expected.insert(cell_name(PathCell{path, layout, values_sent(layout, values) * value_bytes, {}}));
      }
    }
  }
  const auto expect_runs = [&](std::initializer_list<Path> paths, Layout layout,
                               const std::vector<std::int64_t>& sizes) {
    for (const Path path : paths) {
      for (const std::int64_t values : sizes)
        expected.insert(cell_name(PathCell{path, layout, values_sent(layout, values) * value_bytes, {}}));
    }
  };
  const std::vector<std::int64_t> warm = {
      0, 50, 1024, tile_of(128), tile_of(256), tile_of(384), tile_of(512), tile_of(1024)};
  std::vector<std::int64_t> cold = warm;
  for (const std::int64_t side : {2048, 4096}) cold.push_back(tile_of(side));
  for (const Layout layout : {Layout::cc, Layout::nn}) {  // all ranks of this test are on one node
    expect_runs({Path::shared, Path::shared_gather}, layout, cold);
    expect_runs({Path::shared_warm, Path::shared_gather_warm}, layout, warm);
  }
  std::vector<std::int64_t> messages = {tile_of(2048)}, rested = messages, spilled;
  for (const std::int64_t values : warm) {
    const std::int64_t bytes = values * value_bytes;
    if (bytes == 0 || bytes >= shortest_warm_message) messages.push_back(values);
    if (bytes == 0 || bytes >= shortest_rested) rested.push_back(values);
    if (bytes == 0 || (bytes >= shortest_warm_message && bytes <= longest_spilled)) spilled.push_back(values);
  }
  for (const Layout layout : {Layout::cc, Layout::nn})
    expect_runs({Path::shared_spilled, Path::shared_gather_spilled}, layout, spilled);
  expect_runs({Path::message_scatter_spilled}, Layout::cc, spilled);
  expect_runs({Path::message_scatter, Path::message_scatter_warm}, Layout::cc, messages);
  expect_runs({Path::shared_gather_warm}, Layout::cc, messages);  // after a scatter by messages
  expect_runs({Path::message_scatter_rested, Path::shared_gather_rested}, Layout::cc, rested);
  for (const std::int64_t bytes : passed()) expected.insert(cell_name(PathCell{Path::passing, Layout::cc, bytes, {}}));
  expected.insert("barrier/cc/0");
  std::set<std::string> optional{"overhead/cc/0", "overhead/cc/200", "overhead/cc/1024", "overhead/cc/4096"};
  for (const Path path : {Path::to_self, Path::copy}) {
    for (const std::int64_t values : {0, 50, 1024, 51200}) {
      optional.insert(cell_name(PathCell{path, Layout::cc, values * value_bytes, {}}));
    }
  }
  for (const Path pattern : all_patterns) {
    for (const std::int64_t bytes : {1024, 16384}) expected.insert(cell_name(PathCell{pattern, Layout::cc, bytes, {}}));
  }
  std::set<std::string> found;
  for (const PathCell& cell : calibration.profile.paths()) {
    if (cell.has_paper_blocks() && cell.packing == Packing::datatype) found.insert(cell_name(cell));
  }
  // What other models want is measured where there is time; sizes are added where a row is not straight. Nothing else.
  for (const Path path : {Path::message_scatter, Path::message_scatter_warm}) {
    const std::string name = cell_name(PathCell{path, Layout::cc, tile_of(256) * value_bytes, {}, Packing::manual});
    EXPECT_NE(find_cell(calibration.profile.paths(), name), nullptr) << name;
  }
  for (const std::string& name : expected) EXPECT_TRUE(found.contains(name)) << name;
  for (const std::string& name : found) {
    if (expected.contains(name) || optional.contains(name)) continue;
    EXPECT_TRUE(name.starts_with("send/") || name.starts_with("recv/") || name.starts_with("full/")) << name;
  }
  EXPECT_TRUE(found.contains("send/cc/4096"));
  EXPECT_TRUE(found.contains("full/nn/4000"));
}

TEST(Calibrate, WhatShortMessagesTakeOfTheRootIsMeasuredWhereThereAreOthers) {
  for (const Path path : {Path::send, Path::recv}) {
    const std::string name = cell_name(message_overhead_cell(path));
    int found = 0;
    for (const RawSample& sample : result().samples) {
      if (sample.cell != name) continue;
      EXPECT_GT(sample.seconds, 0) << to_string(path);
      ++found;
    }
    EXPECT_GE(found, world().is_root() && world().ranks() > 1 ? 8 : 0) << "in each round of the operators";
    EXPECT_TRUE(found == 0 || world().ranks() > 1) << to_string(path);
  }
}

TEST(Calibrate, WhatIsLeftOfAnOverlappedExchangeIsMeasured) {
  const MachineProfile& profile = result().profile;
  if (!profile.has_paths()) return;
  EXPECT_EQ(profile.has(Path::exposed, Layout::cc, Packing::blocked), world().ranks() > 2);
  for (const Path path : {Path::exposed, Path::exposed_swap}) {
    if (path == Path::exposed && world().ranks() == 2) continue;  // nobody has two neighbours
    ASSERT_TRUE(profile.has(path, Layout::cc, Packing::blocked)) << to_string(path);
    EXPECT_GE(profile.path_seconds(path, Layout::cc, 32768, Packing::blocked), 0) << to_string(path);
  }
}

/// How much is left depends on the machine's other work; where it is more than the messages take, nothing passes
/// meanwhile (received_while_computing()).
TEST(Calibrate, WhatIsLeftOfResultsThatComeInWhileTheRootComputesIsMeasured) {
  const MachineProfile& profile = result().profile;
  if (!profile.has_paths()) return;
  for (const std::int64_t bytes : {32 * 1024, 128 * 1024}) {
    const auto found = std::ranges::find_if(profile.paths(), [&](const PathCell& cell) {
      return cell.path == Path::collected && cell.packing == Packing::blocked && cell.bytes == bytes;
    });
    ASSERT_NE(found, profile.paths().end()) << bytes;
    EXPECT_GE(found->time.seconds, 0);
  }
}

TEST(Calibrate, WhatBlocksCostIsMeasuredAtEitherEndForEachPacking) {
  const MachineProfile& profile = result().profile;
  if (!profile.has_paths()) return;
  for (const Packing packing : {Packing::datatype, Packing::manual}) {
    for (const Path path : all_paths) {
      for (const Layout layout : {Layout::cn, Layout::nc}) {
        EXPECT_TRUE(profile.stride_costs().has({path, layout, packing})) << to_string(path) << to_string(layout);
      }
    }
    EXPECT_TRUE(profile.stride_costs().has({Path::swap, Layout::nn, packing}));
    EXPECT_EQ(profile.stride_costs().has({Path::shift, Layout::nn, packing}), world().ranks() > 2);
  }
}

TEST(Calibrate, EveryOperatorIsThere) {
  const Calibration& calibration = result();
  if (!world().is_root()) return;
  std::set<std::pair<std::string, PixelType>> found;
  for (const OperatorCell& cell : calibration.profile.operators()) {
    found.insert({cell.key, cell.type});
    EXPECT_GT(cell.time_per_unit.seconds, 0) << cell_name(cell);
  }
  for (const OperatorBenchmark& benchmark : operator_benchmarks()) {
    const bool has_its_ranks = world().ranks() > 1 || !benchmark.of_all_ranks;
    for (const PixelType type : benchmark.types) {
      EXPECT_EQ(found.contains({benchmark.key, type}), has_its_ranks) << benchmark.key << " " << to_string(type);
    }
  }
}

TEST(Calibrate, TimesAreSane) {
  const MachineProfile& profile = result().profile;
  if (!profile.has_paths()) return;
  for (const PathCell& cell : profile.paths()) {
    EXPECT_GE(cell.time.seconds, 0) << cell_name(cell);
    EXPECT_GE(cell.time.spread_s, 0) << cell_name(cell);
    EXPECT_GE(cell.time.samples, 1) << cell_name(cell);
    if (cell.bytes == 0) {
      EXPECT_GT(cell.time.seconds, 0) << cell_name(cell);
    }
  }
}

TEST(Calibrate, RawSamplesReproduceTheFittedValues) {
  const Calibration& calibration = result();
  const auto samples = samples_by_cell(calibration);
  for (const PathCell& cell : calibration.profile.paths()) {
    const CountedSamples& own = samples.at(cell_name(cell));
    const CountedSamples& empty = samples.at(empty_full(cell.layout));
    if (!own.met_state || (cell.path == Path::full && !empty.met_state)) continue;
    const Estimate expected = cell.path != Path::full ? fit(own.seconds)
                              : cell.bytes == 0       ? fit_empty_full(own.seconds)
                                                      : fit_full(own.seconds, empty.seconds);
    EXPECT_EQ(cell.time, expected) << cell_name(cell);
  }
  for (const OperatorCell& cell : calibration.profile.operators()) {
    EXPECT_EQ(cell.time_per_unit, fit(samples.at(cell_name(cell)).seconds)) << cell_name(cell);
  }
  const std::size_t cells = calibration.profile.paths().size() + calibration.profile.operators().size();
  EXPECT_EQ(samples.size(), cells) << "there are samples of no cell";
}

TEST(Calibrate, SamplesStandInTheOrderInWhichTheyWereTaken) {
  std::int64_t order = 0;
  for (const RawSample& sample : result().samples) EXPECT_EQ(sample.order, order++);
}

TEST(Calibrate, TheFingerprintNamesTheRun) {
  const Fingerprint& fingerprint = result().profile.fingerprint();
  if (!world().is_root()) return;
  EXPECT_EQ(result().profile.name(), "here");
  EXPECT_EQ(fingerprint.ranks, world().ranks());
  EXPECT_EQ(fingerprint.nodes, world().nodes());
  EXPECT_EQ(fingerprint.effort, "quick");
  EXPECT_FALSE(fingerprint.host.empty());
}

TEST(Calibrate, GoesOnWhereItWasInterrupted) {
  if (world().ranks() < 2) return;
  const auto& [whole, checkpoints, seconds] = recorded();
  CalibrationOptions options = brief();
  if (world().is_root()) {
    ASSERT_GE(checkpoints.size(), 2U) << "at the start, and after each round of operators";
    EXPECT_TRUE(checkpoints.front().samples.empty());
    for (std::size_t i = 1; i < seconds.size(); ++i) EXPECT_GE(seconds[i], seconds[i - 1]);
    EXPECT_EQ(checkpoints.back().samples, whole.samples);
    EXPECT_EQ(checkpoints.back().profile.paths(), whole.profile.paths());
    // As if it had been killed when the messages were done.
    options.before = whole.samples;
    std::erase_if(options.before, [](const RawSample& sample) { return operator_cell_named(sample.cell).has_value(); });
    options.measured_s = 0.58 * *options.budget_s;
  }
  const Calibration resumed = calibrate(world(), options);
  if (!world().is_root()) return;
  EXPECT_EQ(resumed.profile.paths(), whole.profile.paths()) << "which were not measured again";
  EXPECT_TRUE(resumed.profile.has_operators());
}

TEST(Calibrate, WhatCannotBeKeptIsTheRootsErrorAndNoHang) {
  if (world().ranks() != 2) return;
  CalibrationOptions options = brief();
  options.sizes = {};
  options.budget_s = 0;
  options.on_checkpoint = [](const Calibration& so_far, double) {
    if (so_far.profile.has_operators()) throw RuntimeError("the disk is full");
  };
  if (!world().is_root()) {
    (void)calibrate(world(), options);
    return;
  }
  EXPECT_THROW((void)calibrate(world(), options), RuntimeError);
  // What the other one waits for, which a program's end would spare it: no time for another round, out of the folder,
  // and the end.
  (void)world().of_root(-1.0);
  world().barrier();
  world().barrier();
}

/// Each would measure every cell once, whatever the budget.
TEST(Calibrate, ASmallBudgetHasNoSeveralGoes) {
  if (world().ranks() != 2) return;
  CalibrationOptions options = brief();
  options.effort = Effort::standard;
  options.sizes = {};
  options.budget_s = 0;
  const Calibration calibration = calibrate(world(), options);
  const auto is_operator = [](const RawSample& sample) { return operator_cell_named(sample.cell).has_value(); };
  EXPECT_TRUE(std::is_partitioned(calibration.samples.begin(), calibration.samples.end(), [&](const RawSample& sample) {
    return !is_operator(sample);
  })) << "messages, and then operators";
}

/// Whether another whole calibration may show the same again: of more ranks than there are cores each takes 20 s.
bool are_few_ranks() {
  return world().ranks() <= 3;
}

TEST(Calibrate, ALaunchIsAddedToThoseBefore) {
  if (!are_few_ranks()) GTEST_SKIP() << "as with fewer ranks";
  CalibrationOptions options = brief();
  options.before = result().samples;
  options.launch = 1;
  options.seed = 11;
  const Calibration both = calibrate(world(), options);
  if (!world().is_root()) return;
  const auto of_launch = [&](int launch) {
    return std::count_if(both.samples.begin(), both.samples.end(),
                         [&](const RawSample& sample) { return sample.launch == launch; });
  };
  EXPECT_EQ(of_launch(0), static_cast<std::ptrdiff_t>(result().samples.size()));
  EXPECT_GT(of_launch(1), 0);
  EXPECT_EQ(both.profile.fingerprint().settings.at("launches"), "2");
  EXPECT_EQ(both.profile.fingerprint().settings.at("seeds"), "unknown,11") << "the first one's was not told";
}

TEST(Calibrate, AThoroughOneGoesOnInRounds) {
  if (world().ranks() != 2) return;
  CalibrationOptions options = brief();
  options.effort = Effort::thorough;
  options.budget_s = 0.4;
  options.round_s = 0.2;
  std::vector<std::size_t> samples;
  options.on_round = [&](const Calibration& so_far) { samples.push_back(so_far.samples.size()); };
  const Calibration calibration = calibrate(world(), options);
  if (!world().is_root()) return;
  ASSERT_EQ(samples.size(), 1U) << "after the first of two; nothing can be settled by then";
  EXPECT_GT(calibration.samples.size(), samples.front());
  EXPECT_EQ(samples_by_cell(calibration).size(),
            calibration.profile.paths().size() + calibration.profile.operators().size());
}

TEST(Calibrate, TheDatabaseReturnsItUnchanged) {
  const Calibration& calibration = result();
  if (!world().is_root()) return;
  const auto folder = std::filesystem::temp_directory_path() / ("tilewright_calibrate_" + std::to_string(getpid()));
  {
    Store store(folder / "bench.sqlite", OpenMode::create);
    store.save(calibration);
    EXPECT_EQ(store.profile("here"), calibration.profile);
    EXPECT_EQ(store.samples("here"), calibration.samples);
    EXPECT_EQ(store.check(), std::vector<std::string>());
  }
  std::filesystem::remove_all(folder);
}

TEST(Calibrate, ProgressGrowsToOne) {
  if (!are_few_ranks()) GTEST_SKIP() << "as with fewer ranks";
  CalibrationOptions options = brief();
  options.sizes = {};  // the empty message is measured all the same
  options.budget_s = 0;
  std::vector<double> shares;
  options.on_progress = [&](double share, const std::string& what) {
    shares.push_back(share);
    EXPECT_FALSE(what.empty());
  };
  const Calibration calibration = calibrate(world(), options);
  EXPECT_EQ(shares.empty(), !world().is_root());
  if (!world().is_root()) return;
  for (std::size_t i = 1; i < shares.size(); ++i) EXPECT_GE(shares[i], shares[i - 1]);
  EXPECT_GE(shares.front(), 0);
  EXPECT_EQ(shares.back(), 1);
  const int exchanges = world().ranks() > 2 ? 2 * 2 : 2;  // swaps, and shifts, in two layouts
  // Tiles of images are measured whatever sizes are asked for. Copies of seven and the empty one: in two layouts,
  // scattered and gathered; warm ones of all but the two largest, and the larger of these after a scatter by messages;
  // messages; and all three of what single cores' caches hold.
  const auto from = [](std::int64_t shortest) {
    return std::ranges::count_if(std::array{128, 256, 384, 512, 1024},
                                 [&](int side) { return tile_of(side) * value_bytes >= shortest; });
  };
  const auto messages = 2 + from(shortest_warm_message), rested = 2 + from(shortest_rested);
  const auto spilled = 1 + from(shortest_warm_message) - from(longest_spilled + 1);
  const auto sharing = 2 * 2 * 8 + 2 * 2 * 6 + 1 + 2 * messages + 2 * rested + 5 * spilled;
  const int of_other_models = 1 + 5 * 2;  // barrier, patterns
  const std::ptrdiff_t of_caches = std::ssize(passed());
  const std::vector<PathCell>& paths = calibration.profile.paths();
  const auto of_paper = std::count_if(paths.begin(), paths.end(), [](const PathCell& cell) {
    return cell.has_paper_blocks() && cell.packing == Packing::datatype;
  });
  EXPECT_EQ(of_paper, world().ranks() > 1 ? 12 + of_other_models + exchanges + sharing + of_caches : 0);
}

TEST(Calibrate, UnusableOptionsAreRefusedOnEveryRank) {
  CalibrationOptions options = brief();
  options.sizes = {1024, -1};
  EXPECT_THROW((void)calibrate(world(), options), ParameterError);
  options = brief();
  options.budget_s = -1;
  EXPECT_THROW((void)calibrate(world(), options), ParameterError);
}

}  // namespace
}  // namespace tilewright
