// The derivations of log_nP's paper (Cameron, Ge and Sun, IEEE TC 2007, section 5) as equations, with their counts of
// terms.
#include "tilewright/scheduler/log_np.hpp"

#include <gtest/gtest.h>

namespace tilewright {
namespace {

// Seconds; those of Titan (its Table 1 and section 4.1).
constexpr double o = 5.9e-6;
constexpr double l = 13.62e-6;
constexpr double g_a_byte = 0.00448e-6;
constexpr double contention = 2e-6;

constexpr BlockShape shape_of(std::int64_t bytes, std::int64_t stride = 8) {
  return {bytes, 8, stride};
}

double contiguous(double bytes) {
  return 1e-6 + bytes * 1e-9;
}
double strided(const BlockShape& shape) {
  return shape.stride_bytes > shape.block_bytes ? static_cast<double>(shape.bytes) * 2e-9 : 0;
}

TEST(LogNp, IsTheSumOfItsTransfersWithTheLargerOfOverheadAndGap) {
  const LogNp equation({{.overhead = contiguous, .latency = strided, .sizes = 5, .strides = 2},
                        {.overhead = contiguous, .gap = [](double) { return 1e-3; }},
                        {.overhead = contiguous, .gap = [](double) { return 1e-9; }}});
  EXPECT_DOUBLE_EQ(equation.seconds(shape_of(1000)), 2 * contiguous(1000) + 1e-3);
  EXPECT_DOUBLE_EQ(equation.seconds(shape_of(1000, 64)), 2 * contiguous(1000) + 1e-3 + 2e-6);
  EXPECT_EQ(equation.terms(), 5 * (1 + 2) + 1 + 1);
}

TEST(LogNp, ContainsLogP) {
  const LogNp model = log_p(o, l);
  for (const std::int64_t bytes : {8, 100000}) EXPECT_DOUBLE_EQ(model.seconds(shape_of(bytes, 4096)), 2 * o + l);
  EXPECT_EQ(model.terms(), 3);
}

TEST(LogNp, ContainsLogGp) {
  const LogNp model = log_gp(o, l, g_a_byte);
  for (const std::int64_t k : {1, 2, 65536}) {
    EXPECT_DOUBLE_EQ(model.seconds(shape_of(k, 4096)), 2 * o + l + static_cast<double>(k - 1) * g_a_byte) << k;
  }
  EXPECT_EQ(model.terms(), 4);
}

TEST(LogNp, ContainsLoPcAndLoGpc) {
  EXPECT_DOUBLE_EQ(lo_pc(o, l, contention, 2).seconds(shape_of(8)), o + l + contention + o);
  EXPECT_EQ(lo_pc(o, l, contention, 2).terms(), 3 + 2);
  EXPECT_DOUBLE_EQ(lo_gpc(o, l, g_a_byte, contention, 2).seconds(shape_of(1025)),
                   2 * o + l + 1024 * g_a_byte + contention);
  EXPECT_DOUBLE_EQ(lo_pc(o, l, 0, 0).seconds(shape_of(8)), log_p(o, l).seconds(shape_of(8))) << "without contention";
}

TEST(LogNp, ContainsMemoryLogP) {
  const LogNp model = memory_log_p(contiguous, strided, l, {.sizes = 4, .strides = 3});
  EXPECT_DOUBLE_EQ(model.seconds(shape_of(1024, 4096)), 2 * (contiguous(1024) + 1024 * 2e-9) + l);
  EXPECT_EQ(model.terms(), 3 * 4 * (1 + 3));
}

TEST(LogNp, ContainsCopyTransfer) {
  const ImplicitTransfer hop{.overhead = contiguous, .latency = strided, .sizes = 4, .strides = 3};
  const LogNp model = copy_transfer({hop, hop, hop, hop, hop});
  EXPECT_DOUBLE_EQ(model.seconds(shape_of(1024, 64)), 5 * (contiguous(1024) + 1024 * 2e-9));
  EXPECT_EQ(model.terms(), 5 * 4 * (1 + 3));
}

TEST(LogNp, ContainsPram) {
  EXPECT_EQ(pram(1).seconds(shape_of(1 << 20, 4096)), 1);
  EXPECT_EQ(pram(1).terms(), 1);
}

TEST(LogNp, Log3pGivesThePapersExample) {
  // 16 KiB, a stride of 1 KiB, on Titan: 29 + 420 + 131 = 580 microseconds (section 4.1).
  const LogNp model = log_3p([](double) { return 29e-6; }, [](const BlockShape&) { return 420e-6; },
                             [](double) { return 131e-6; }, {.sizes = 1, .strides = 1});
  EXPECT_DOUBLE_EQ(model.seconds(shape_of(16384, 1024)), 580e-6);
  EXPECT_EQ(model.terms(), 6) << "as the paper's footnote 15 has it for one size and one stride";
}

}  // namespace
}  // namespace tilewright
