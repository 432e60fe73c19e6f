// Trips between and inside nodes, as the SPMD paper prints them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "support/temporary_folder.hpp"
#include "tilewright/benchdb/exchange.hpp"
#include "tilewright/core/error.hpp"

namespace tilewright {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

const auto repository = std::filesystem::path(TILEWRIGHT_SOURCE_DIR);

TEST(TripTable, ThePapersTableGivesTheTripsOfTheShippedProfile) {
  const Calibration read =
      read_profile(repository / "tests" / "benchdb" / "tables" / "dual_cpu_all_to_all.csv", "dual");
  const MachineProfile& profile = read.profile;
  EXPECT_TRUE(read.samples.empty());
  EXPECT_THAT(profile.fingerprint().source, HasSubstr("Source: Oliveira & du Buf, Tables 1 and 2."));
  EXPECT_EQ(profile.paths().size(), 3U * 5U * 2U);
  const MachineProfile shipped = read_profile(repository / "benchdb" / "profiles" / "dual_pentium.csv", "dual").profile;
  for (const PathCell& cell : shipped.paths()) {
    EXPECT_NEAR(profile.path_seconds(cell.path, cell.layout, static_cast<double>(cell.bytes)), cell.time.seconds,
                1e-12);
  }
}

TEST(TripTable, TellsTripsInsideANodeApart) {
  const auto within = read_profile(repository / "tests" / "benchdb" / "tables" / "dual_cpu_all_to_all.csv", "dual")
                          .profile.within_nodes();
  ASSERT_TRUE(within);
  EXPECT_NEAR(within->path_seconds(Path::full, Layout::cc, 4e6), 0.142, 1e-12);
  EXPECT_NEAR(within->path_seconds(Path::send, Layout::cc, 3e6), 0.106, 1e-12);
  EXPECT_NEAR(within->path_seconds(Path::recv, Layout::cc, 5e5), 0.018, 1e-12);
}

TEST(TripTable, FaultsCarryTheirLine) {
  const test::TemporaryFolder folder;
  const std::string head = "table,key,inside,between\n";
  const auto expect_fault = [&](const std::string& rows, const std::string& reason) {
    EXPECT_THAT([&] { (void)read_profile(folder.file("t", head + rows), "m"); },
                ThrowsMessage<ParameterError>(HasSubstr(reason)))
        << rows;
  };
  expect_fault("", "line 1: no trip");
  expect_fault("a2a,S1,1,2\n", "line 1: no trip");
  expect_fault("trip,1/1,142\n", "line 2: 3 fields, where 4 are needed");
  expect_fault("trip,1,142,373\n", "line 2: '1' is no fraction");
  expect_fault("trip,1/0,142,373\n", "line 2: '1/0' is no fraction");
  expect_fault("trip,half,142,373\n", "line 2: 'half' is no fraction");
  expect_fault("trip,1/2,142,-1\n", "line 2: the time -1 is negative");
  expect_fault("trip,1/2,142,x\n", "line 2: field 4 is 'x'");
  expect_fault("trip,1/2,1,2\ntrip,2/4,1,2\n", "line 3: the fraction 2/4 is given twice");
}

}  // namespace
}  // namespace tilewright
