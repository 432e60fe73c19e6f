// Every part of the program `papers` as its users call it: predicted by one process, and measured by two.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "apps/program_runner.hpp"
#include "tilewright/benchdb/exchange.hpp"
#include "tilewright/benchdb/store.hpp"

namespace tilewright::test {
namespace {

using ::testing::HasSubstr;

/// 8 ranks that do as BSP* has it: 30 us for each message, 10 ns a byte, 50 us for a barrier.
MachineProfile with_startups() {
  constexpr double startup_s = 30e-6, of_a_byte_s = 10e-9, barrier_s = 50e-6;
  Fingerprint fingerprint;
  fingerprint.ranks = 8;
  std::vector<PathCell> cells{{Path::barrier, Layout::cc, 0, {barrier_s, 0, 1}}};
  for (const std::int64_t bytes : {1024, 16384, 131072}) {
    const double seconds = barrier_s + 7 * (startup_s + of_a_byte_s * static_cast<double>(bytes));
    cells.push_back({Path::all_to_all, Layout::cc, bytes, {seconds, 0, 1}});
  }
  return {"startups", fingerprint, cells, {}};
}

class Papers : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder = fresh_folder("papers");
    const Outcome calibrated =
        run(fmt::format("{} {} calibrate --effort quick --budget 6 --machine here --db bench.sqlite", mpiexec(2),
                        program("tilewright")),
            folder);
    ASSERT_EQ(calibrated.status, 0) << calibrated.error;
    Store store(folder / "bench.sqlite", OpenMode::create);
    store.save(read_profile(std::filesystem::path(TILEWRIGHT_SOURCE_DIR) / "benchdb" / "profiles" / "das.csv", "das"));
    store.save({with_startups(), {}});
  }

  static std::string papers(int ranks, const std::string& arguments) {
    const Outcome outcome =
        run(fmt::format("{} {} --db bench.sqlite {}", ranks == 1 ? "" : mpiexec(ranks), program("papers"), arguments),
            folder);
    EXPECT_EQ(outcome.status, 0) << arguments << outcome.error;
    return outcome.out;
  }

  static inline std::filesystem::path folder;
};

TEST_F(Papers, EachPartIsPredictedByOneProcess) {
  for (const char* part : {"p3pc", "computation-models", "lognp", "lognp-packing", "lognp-fft"}) {
    EXPECT_NE(papers(1, fmt::format("--machine here --ranks 8 {}", part)), "") << part;
  }
  EXPECT_THAT(papers(1, "--machine das"), HasSubstr("512x512 floats on 16 ranks"));
}

TEST_F(Papers, EachPartIsMeasuredByTwo) {
  for (const char* part : {"p3pc", "computation-models", "lognp", "lognp-packing", "lognp-fft"}) {
    const std::string out = papers(2, fmt::format("--machine here --samples 1 --image 128x128 {}", part));
    EXPECT_THAT(out, ::testing::Not(HasSubstr("mpiexec"))) << part;
    EXPECT_NE(out, "") << part;
  }
}

TEST_F(Papers, P3pcTakesAnImageAndAllScalesOfThePaper) {
  const std::string out = papers(1, "--machine das --ranks 16 --image 1024x1024 p3pc");
  EXPECT_THAT(out, HasSubstr("1024x1024 floats on 16 ranks"));
  for (const int sigma : {1, 3, 5}) EXPECT_THAT(out, HasSubstr(fmt::format("exchange, sigma {} 2x8", sigma)));
}

/// The last words of the row of so many bytes.
std::string said_of(const std::string& out, std::int64_t bytes) {
  std::istringstream text(out);
  for (std::string line; std::getline(text, line);) {
    std::istringstream row(line);
    std::int64_t size = 0;
    if (row >> size && size == bytes) return line.substr(line.rfind("  ") + 2);
  }
  return {};
}

/// The paper's point: beyond four ranks BSP has two phases faster whatever the size, BSP* only where start-ups no
/// longer dominate.
TEST_F(Papers, BspAndBspStarDifferOnShortBroadcastsOfManyRanks) {
  const std::string out = papers(1, "--machine startups --ranks 16 --image 2048x2048 computation-models");
  EXPECT_EQ(said_of(out, 1024), "-, two-phase, tree");
  EXPECT_EQ(said_of(out, 1 << 20), "-, two-phase, two-phase");
  EXPECT_EQ(said_of(out, 16 << 20), "-, two-phase, two-phase") << "the image";
  EXPECT_EQ(said_of(papers(1, "--machine startups --ranks 4 computation-models"), 1024), "-, tie, tree");
}

}  // namespace
}  // namespace tilewright::test
