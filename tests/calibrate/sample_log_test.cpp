#include "../../src/calibrate/sample_log.hpp"

#include <gtest/gtest.h>

#include "tilewright/model/cell_names.hpp"

namespace tilewright {
namespace {

const PathCell message{Path::swap, Layout::cc, 4096, {}};
const PathCell longer{Path::swap, Layout::cc, 8192, {}};

void add(SampleLog& log, const std::string& cell, double spread) {
  for (int i = 0; i < 11; ++i) log.add(cell, 1 + spread * i);
}

TEST(SampleLog, KnowsWhatThisLaunchHadBeforeAnInterruption) {
  const std::string name = cell_name(message);
  SampleLog log({{name, 0, 0, 1.0}, {name, 1, 1, 2.0}, {name, 1, 2, 3.0}}, 1, nullptr);
  log.add(name, 4.0);
  ASSERT_EQ(log.of_cell(name).size(), 2U);
  EXPECT_EQ(log.of_cell(name)[1].seconds, 3.0);
  EXPECT_EQ(log.cells_before(), std::vector<std::string>{name});
  EXPECT_TRUE(log.is_done({message}, 0)) << "no time is left";
  EXPECT_FALSE(log.is_done({message, longer}, 0)) << "one has no sample";
  EXPECT_FALSE(log.is_done({message}, 1));
}

TEST(SampleLog, ARoundLeavesOutWhatIsSettled) {
  SampleLog log({}, 0, nullptr);
  add(log, cell_name(message), 1e-4);
  add(log, "copy/f32/0/65536/1", 0.1);
  EXPECT_FALSE(log.is_done({message}, 1)) << "nobody has looked yet";
  EXPECT_FALSE(log.operators_are_done(false)) << "none from before";
  EXPECT_FALSE(log.begin_round()) << "the operator is not settled";
  EXPECT_EQ(log.of_cell(cell_name(message)).size(), 11U);
  EXPECT_TRUE(log.is_done({message}, 1));
  EXPECT_FALSE(log.is_done({message, longer}, 1)) << "which was not measured";
  EXPECT_FALSE(log.operators_are_done(true));
  EXPECT_TRUE(log.operators_are_done(false));
  for (int i = 0; i < 200; ++i) log.add("copy/f32/0/65536/1", 1.5);
  EXPECT_TRUE(log.begin_round());
  EXPECT_TRUE(log.operators_are_done(true));
}

/// Two goes over a message and an operator, the second one interrupted.
std::vector<RawSample> of_two_goes() {
  const std::string name = cell_name(message);
  return {{name, 0, 0, 1.0}, {"copy/f32/0/65536", 0, 1, 1e-9}, {name, 0, 2, 2.0}, {name, 0, 3, 3.0}};
}

TEST(SampleLog, AGoMeasuresAgainWhatThoseBeforeHad) {
  const std::string name = cell_name(message);
  SampleLog log(of_two_goes(), 0, nullptr);
  EXPECT_EQ(log.of_cell(name).size(), 3U);
  log.resume_go(false);
  ASSERT_EQ(log.of_cell(name).size(), 2U) << "those after the operators";
  EXPECT_EQ(log.of_cell(name)[0].seconds, 2.0);
  EXPECT_FALSE(log.operators_are_done(false)) << "they are of the go before";
  log.begin_go();
  EXPECT_TRUE(log.of_cell(name).empty());
  EXPECT_FALSE(log.is_done({message}, 0));
  EXPECT_EQ(log.cells_before(), (std::vector<std::string>{"copy/f32/0/65536", name})) << "which it measures as well";
}

TEST(SampleLog, AGoThatIsResumedHasTheOperatorsThatItHadComeTo) {
  const std::string name = cell_name(message);
  std::vector<RawSample> samples = of_two_goes();
  samples.push_back({"copy/f32/0/65536", 0, 4, 1e-9});
  SampleLog log(samples, 0, nullptr);
  log.resume_go(true);
  EXPECT_EQ(log.of_cell(name).size(), 2U);
  EXPECT_TRUE(log.operators_are_done(false));
  log.resume_go(false);
  EXPECT_TRUE(log.of_cell(name).empty()) << "it had just begun";
  EXPECT_FALSE(log.operators_are_done(false));
  samples.push_back({name, 1, 5, 4.0});
  SampleLog next(samples, 1, nullptr);
  next.resume_go(false);
  EXPECT_EQ(next.of_cell(name).size(), 1U) << "the launch before has goes of its own";
}

}  // namespace
}  // namespace tilewright
