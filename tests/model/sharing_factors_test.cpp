#include "tilewright/model/sharing_factors.hpp"

#include <gtest/gtest.h>

namespace tilewright {
namespace {

const SharingFactors slower{{{{Path::shared, Layout::cc}, {1, 3, 2.5, 2, 1.5}},
                             {{Path::message_scatter, Layout::cc, Packing::manual}, {5, 5, 5, 5, 5}},
                             {{Path::shared_warm, Layout::nn}, {1, 1, 1, 1, 4}}}};

TEST(SharingFactors, AreOfThePathTheLayoutAndTheSize) {
  EXPECT_EQ(slower.of({Path::shared, Layout::cc, 131072, {}}), 3);
  EXPECT_EQ(slower.of({Path::shared, Layout::cc, 0, {}}), 1);
  EXPECT_EQ(slower.of({Path::shared_warm, Layout::nn, 1 << 26, {}}), 4);
  EXPECT_GT(slower.of({Path::shared, Layout::cc, 65536, {}}), 2);
  EXPECT_LT(slower.of({Path::shared, Layout::cc, 65536, {}}), 3);
  EXPECT_EQ(slower.of({Path::shared, Layout::nn, 131072, {}}), 1) << "not measured again";
  EXPECT_EQ(slower.of({Path::shared_spilled, Layout::nn, 1 << 26, {}}), 4) << "as warm ones";
  EXPECT_EQ(slower.of({Path::shared_spilled, Layout::cc, 131072, {}}), 1) << "not as cold ones";
  EXPECT_EQ(slower.of({Path::full, Layout::cc, 131072, {}}), 1);
  EXPECT_EQ(slower.of({Path::message_scatter, Layout::cc, 131072, {}, Packing::manual}), 5);
  EXPECT_EQ(slower.of({Path::message_scatter, Layout::cc, 131072, {}}), 1);
}

TEST(SharingFactors, AreReadAsTheyWereWritten) {
  EXPECT_EQ(to_string(slower),
            "shared/cc 1 3 2.5 2 1.5, message-scatter/cc/manual 5 5 5 5 5, shared-warm/nn 1 1 1 1 4");
  EXPECT_EQ(parse_sharing_factors(to_string(slower)), slower);
  EXPECT_EQ(parse_sharing_factors(to_string(SharingFactors())), SharingFactors());
  for (const char* wrong :
       {"shared/cc", "shared/cc 1 1 1", "shared/cc 1 1 1 1 1 1", "shared/cc 1 1 1 1 x", "shared/cc 1 1 1 1 0",
        "shared/cc 1 1 1 1 -1", "shared/cc 1 1 1 1 inf", "shared 1 1 1 1 1", "shared/xy 1 1 1 1 1",
        "elsewhere/cc 1 1 1 1 1", "shared/cc 1 1 1 1 1, ", "shared/cc/ 1 1 1 1 1", "shared/cc/by-mail 1 1 1 1 1",
        "shared/cc 1 1 1 1 1, shared/cc 1 1 1 1 1"}) {
    EXPECT_FALSE(parse_sharing_factors(wrong)) << wrong;
  }
}

TEST(SharingFactors, AreReadOfFormerRefreshes) {
  const auto former = parse_sharing_factors("shared/cc 1 2 4 8");  // of 4 and 128 KiB, 1 and 8 MiB
  ASSERT_TRUE(former);
  const auto factor = [&](std::int64_t bytes) { return former->of({Path::shared, Layout::cc, bytes, {}}); };
  EXPECT_DOUBLE_EQ(factor(4096), 1);
  EXPECT_DOUBLE_EQ(factor(131072), 2);
  EXPECT_NEAR(factor(512 << 10), 2 + 2.0 * 2 / 3, 1e-9) << "by the logarithm";
  EXPECT_DOUBLE_EQ(factor(8 << 20), 8);
}

}  // namespace
}  // namespace tilewright
