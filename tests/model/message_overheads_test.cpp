#include "tilewright/model/message_overheads.hpp"

#include <gtest/gtest.h>

#include "support/test_profiles.hpp"
#include "tilewright/model/cell_names.hpp"

namespace tilewright {
namespace {

TEST(MessageOverheads, AreWhatAMessageTakesBeyondOneOfAStream) {
  const MachineProfile profile =
      test::profile_of({.latency_s = 1e-5, .send_after_computing_s = 7e-5, .recv_after_computing_s = 1e-6});
  EXPECT_NEAR(overhead_beyond_stream_s(profile, Path::send), 6e-5, 1e-7);
  EXPECT_EQ(overhead_beyond_stream_s(profile, Path::recv), 0) << "a stream has it dearer";
}

TEST(MessageOverheads, AreNothingWhereNotMeasured) {
  EXPECT_EQ(overhead_beyond_stream_s(test::profile_of({}), Path::send), 0);
  std::vector<OperatorCell> cells;
  test::add_overheads(cells, 1, 1);
  EXPECT_EQ(overhead_beyond_stream_s(MachineProfile("m", {}, {}, cells), Path::send), 0) << "of no messages";
}

TEST(MessageOverheads, AreKeptInCellsWithNames) {
  for (const Path path : {Path::send, Path::recv}) {
    const OperatorCell cell = message_overhead_cell(path);
    EXPECT_EQ(operator_cell_named(cell_name(cell)), cell);
    EXPECT_TRUE(is_message_overhead(cell));
  }
  EXPECT_NE(message_overhead_cell(Path::send), message_overhead_cell(Path::recv));
  EXPECT_FALSE(is_message_overhead({"copy", PixelType::f32, 0, 64, {}}));
}

}  // namespace
}  // namespace tilewright
