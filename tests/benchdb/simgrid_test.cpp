#include "tilewright/benchdb/simgrid.hpp"

#include <gtest/gtest.h>

#include <regex>
#include <sstream>

#include "support/test_profiles.hpp"
#include "tilewright/core/error.hpp"

namespace tilewright {
namespace {

/// What SimGrid makes of a property: the piece with the largest size that is not above.
double seconds_of(const std::string& text, const std::string& property, double bytes) {
  std::smatch found;
  EXPECT_TRUE(std::regex_search(text, found, std::regex("id=\"" + property + "\" value=\"([^\"]*)\"")));
  std::istringstream pieces(found[1].str());
  std::string piece;
  double seconds = -1;
  while (std::getline(pieces, piece, ';')) {
    double from = 0, constant = 0, slope = 0;
    EXPECT_EQ(std::sscanf(piece.c_str(), "%lf:%lf:%lf", &from, &constant, &slope), 3) << piece;
    if (bytes >= from) seconds = constant + slope * bytes;
  }
  return seconds;
}

TEST(SimGrid, GetsTheRowsPieceByPiece) {
  const MachineProfile das = test::das_profile();
  const std::string text = write_simgrid(das);
  for (const double bytes : {0.0, 100.0, 4096.0, 100000.0, 1e6, 5e6}) {
    EXPECT_NEAR(seconds_of(text, "smpi/os", bytes), das.path_seconds(Path::send, Layout::cc, bytes), 1e-12) << bytes;
    EXPECT_NEAR(seconds_of(text, "smpi/or", bytes), das.path_seconds(Path::recv, Layout::cc, bytes), 1e-12) << bytes;
    EXPECT_NEAR(seconds_of(text, "smpi/ois", bytes), das.path_seconds(Path::send, Layout::cc, bytes), 1e-12) << bytes;
  }
}

TEST(SimGrid, TakesTheSendOfAMessageAloneWhereItWasMeasured) {
  const MachineProfile das = test::das_profile();
  std::vector<PathCell> cells = das.paths();
  for (const std::int64_t bytes : {0, 1024}) cells.push_back({Path::overhead, Layout::cc, bytes, {2e-6, 0, 3}});
  EXPECT_NEAR(seconds_of(write_simgrid({"m", {}, cells, {}}), "smpi/os", 512), 2e-6, 1e-15);
}

TEST(SimGrid, LongMessagesCostNoLessThanTheLongestThatWasMeasured) {
  const auto with_overheads = [](double spread_s, double last_s) {
    std::vector<PathCell> cells = test::das_profile().paths();
    cells.push_back({Path::overhead, Layout::cc, 0, {1e-6, spread_s, 9}});
    cells.push_back({Path::overhead, Layout::cc, 8192, {3.2e-6, spread_s, 9}});
    cells.push_back({Path::overhead, Layout::cc, 16384, {last_s, spread_s, 9}});
    return MachineProfile("m", {}, cells, {});
  };
  for (const MachineProfile& profile : {with_overheads(1e-6, 3.1e-6), with_overheads(1e-9, 2.2e-6)}) {
    const std::string text = write_simgrid(profile);
    for (const double bytes : {100.0, 8192.0, 12000.0, 16384.0, 1e6, 1e9}) {
      EXPECT_NEAR(seconds_of(text, "smpi/os", bytes), profile.path_seconds(Path::overhead, Layout::cc, bytes), 1e-12)
          << bytes;
    }
    EXPECT_GT(seconds_of(text, "smpi/os", 1 << 20), 2e-6);
  }
}

TEST(SimGrid, LeavesOutMessagesWithinANode) {
  const MachineProfile das = test::das_profile();
  std::vector<PathCell> cells = das.paths();
  for (const PathCell& cell : das.paths()) {
    cells.push_back(cell);
    cells.back().within_node = true;
    cells.back().time.seconds /= 2;
  }
  EXPECT_EQ(write_simgrid({"das", {}, cells, {}}), write_simgrid(das));
}

TEST(SimGrid, NeedsMessages) {
  EXPECT_THROW((void)write_simgrid({"m", {}, {}, {}}), ParameterError);
}

}  // namespace
}  // namespace tilewright
