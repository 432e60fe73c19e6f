#include "tilewright/model/protocol_switches.hpp"

#include <gtest/gtest.h>

#include "tilewright/model/machine_profile.hpp"

namespace tilewright {
namespace {

PathCell cell(std::int64_t bytes, double seconds, double spread_s = 0, Packing packing = Packing::datatype) {
  return {Path::full, Layout::cc, bytes, {seconds, spread_s, 5}, packing};
}

TEST(ProtocolSwitches, AreStepsBetweenNeighbours) {
  const MachineProfile profile("m", {},
                               {cell(0, 1), cell(4096, 1.1), cell(5000, 1.2), cell(6000, 2.4), cell(7000, 2.5),
                                cell(8000, 2.0), cell(5500, 1, 0, Packing::blocked)},
                               {});
  EXPECT_EQ(protocol_switches(profile.paths()),
            (std::vector<ProtocolSwitch>{{Path::full, Layout::cc, Packing::datatype, 6000, 5000, 2.0},
                                         {Path::full, Layout::cc, Packing::datatype, 8000, 7000, 0.8}}));
}

TEST(ProtocolSwitches, NoiseAndWideGapsTellOfNone) {
  EXPECT_TRUE(protocol_switches({cell(5000, 1, 0.4), cell(6000, 1.6, 0.4)}).empty());
  EXPECT_TRUE(protocol_switches({cell(4096, 1), cell(8192, 4)}).empty());
  EXPECT_TRUE(protocol_switches({cell(5000, 1), cell(6000, 1.2)}).empty()) << "as much as the size";
}

TEST(ProtocolSwitches, AreNotLookedForBetweenMessagesOfBothKinds) {
  const auto within = [](PathCell cell) {
    cell.within_node = true;
    return cell;
  };
  EXPECT_TRUE(protocol_switches({cell(5000, 1), within(cell(6000, 4))}).empty());
  const MachineProfile profile("m", {}, {within(cell(5000, 1)), within(cell(6000, 4))}, {});
  EXPECT_TRUE(protocol_switches(profile.paths()).empty());
  EXPECT_EQ(protocol_switches(profile.within_nodes()->paths()).size(), 1U);
}

}  // namespace
}  // namespace tilewright
