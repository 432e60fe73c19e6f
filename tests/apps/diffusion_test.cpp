// A program that loops until its pixels hardly change: segment after segment.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "program_runner.hpp"

namespace tilewright::test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class Diffusion : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder = fresh_folder("diffusion");
    std::ofstream picture(folder / "in.pgm");
    picture << "P5 96 80 255\n";
    for (int i = 0; i < 96 * 80; ++i) picture << static_cast<char>(i * 7919 % 251);
    ASSERT_EQ(calibrate_into(folder / "bench.sqlite").status, 0);
  }
  static Outcome application(int ranks, const std::string& arguments) {
    return run(fmt::format("TILEWRIGHT_DB=bench.sqlite {} {} {}", ranks == 0 ? "" : mpiexec(ranks),
                           program("diffusion"), arguments),
               folder);
  }
  static inline std::filesystem::path folder;
};

TEST_F(Diffusion, EndsAlikeOnAllRanks) {
  const Outcome alone = application(0, "in.pgm alone.tif --tolerance 0.5");
  ASSERT_EQ(alone.status, 0) << alone.error;
  EXPECT_THAT(alone.out, HasSubstr(" turns"));
  EXPECT_NE(alone.out, "1 turns\n");
  EXPECT_NE(alone.out, "1000 turns\n");
  for (const int ranks : {2, 3}) {
    const Outcome many = application(ranks, fmt::format("in.pgm many.tif --tolerance 0.5 --tw-ranks={}", ranks));
    ASSERT_EQ(many.status, 0) << many.error;
    EXPECT_EQ(many.out, alone.out);
    EXPECT_EQ(run("cmp alone.tif many.tif", folder).status, 0) << ranks << " ranks";
  }
}

TEST_F(Diffusion, IsPlannedAsOftenAsItIsExpectedToTurn) {
  const Outcome plan =
      run(fmt::format("TILEWRIGHT_DB=bench.sqlite {} plan --format json -- {} in.pgm no.tif --expected 7",
                      program("tilewright"), program("diffusion")),
          folder);
  ASSERT_EQ(plan.status, 0) << plan.error;
  const json segments = json::parse(plan.out).at("segments");
  ASSERT_EQ(segments.size(), 1 + 2 * 7 + 1U) << "the input, two of each turn, the output";
  for (std::size_t i = 3; i + 1 < segments.size(); ++i) EXPECT_EQ(segments[i], segments[i - 2]) << i;
}

}  // namespace
}  // namespace tilewright::test
