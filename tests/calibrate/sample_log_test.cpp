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

}  // namespace
}  // namespace tilewright
