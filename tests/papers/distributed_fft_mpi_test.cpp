// The FFT over ranks against FFTW's own, for every packing; and that the comparison finds what is wrong.
#include <gtest/gtest.h>

#include <utility>

#include "distributed_fft.hpp"
#include "support/mpi_environment.hpp"
#include "tilewright/core/error.hpp"

namespace tilewright::papers {
namespace {

using test::world;

void transform(DistributedFft& fft, Packing packing) {
  fft.transform_planes();
  fft.exchange(packing);
  fft.transform_lines();
}

class DistributedFftTest : public testing::TestWithParam<Packing> {};

TEST_P(DistributedFftTest, IsTheSerialOne) {
  // Even shares for powers of two; uneven ones, tiles that are not full; more of either than the other.
  for (const ArrayExtent extent : {ArrayExtent{16, 16, 16}, {5, 7, 11}, {67, 3, 8}, {3, 3, 70}, {40, 50, 35}}) {
    DistributedFft fft(world(), extent);
    transform(fft, GetParam());
    EXPECT_EQ(SerialFft(extent).wrong_values(fft, fft_tolerance), 0)
        << extent.nx << "x" << extent.ny << "x" << extent.nz;
  }
}

TEST_P(DistributedFftTest, MayExchangeAgain) {
  const ArrayExtent extent{6, 5, 9};
  DistributedFft fft(world(), extent);
  fft.exchange(GetParam());
  transform(fft, GetParam());
  EXPECT_EQ(SerialFft(extent).wrong_values(fft, fft_tolerance), 0);
}

INSTANTIATE_TEST_SUITE_P(Packings, DistributedFftTest, testing::ValuesIn(all_packings),
                         [](const auto& tested) { return std::string(to_string(tested.param)); });

TEST(SerialFftTest, FindsWhatIsWrong) {
  const ArrayExtent extent{8, 6, 10};
  const SerialFft serial(extent);
  DistributedFft fft(world(), extent);
  const auto all = static_cast<std::int64_t>(fft.lines().size());
  EXPECT_EQ(serial.wrong_values(fft, fft_tolerance), all) << "nothing has arrived";
  transform(fft, Packing::blocked);
  std::swap(fft.lines()[0], fft.lines()[1]);
  EXPECT_EQ(serial.wrong_values(fft, fft_tolerance), 2) << "two that changed places";
  std::swap(fft.lines()[0], fft.lines()[1]);
  EXPECT_EQ(serial.wrong_values(fft, fft_tolerance), 0);
  fft.transform_lines();
  EXPECT_EQ(serial.wrong_values(fft, fft_tolerance), all) << "lines transformed twice";
}

TEST(DistributedFftLimits, EachRankNeedsAPlaneAndALine) {
  const int ranks = world().ranks();
  EXPECT_THROW(DistributedFft(world(), {8, 8, ranks - 1}), ParameterError);
  EXPECT_THROW(DistributedFft(world(), {1, ranks - 1, 8}), ParameterError);
  EXPECT_THROW(DistributedFft(world(), {1024, 1024, 1024}), ParameterError);
  EXPECT_NO_THROW(DistributedFft(world(), {1, ranks, ranks}));
}

TEST(Shares, CoverAllOnceAndAsEvenlyAsCanBe) {
  for (const std::int64_t count : {8, 13, 64}) {
    std::int64_t next = 0;
    for (int index = 0; index < 6; ++index) {
      const Share share = share_of(count, 6, index);
      EXPECT_EQ(share.begin, next);
      EXPECT_GE(share.size(), count / 6);
      EXPECT_LE(share.size(), count / 6 + 1);
      next = share.end;
    }
    EXPECT_EQ(next, count);
  }
}

}  // namespace
}  // namespace tilewright::papers
