#include "tilewright/model/message_factors.hpp"

#include <gtest/gtest.h>

namespace tilewright {
namespace {

const MessageFactors slower{{2, 2, 1, 1, 1.5}, {3, 3, 3, 3, 1}};

TEST(MessageFactors, AreOfTheSizeAndOfWhoPacks) {
  EXPECT_EQ(slower.of({Path::send, Layout::cc, 0, {}}), 2);
  EXPECT_EQ(slower.of({Path::full, Layout::cc, 4096, {}}), 2);
  EXPECT_DOUBLE_EQ(slower.of({Path::recv, Layout::cc, 8192, {}}), 1.5) << "half way, by the logarithm";
  EXPECT_EQ(slower.of({Path::swap, Layout::cc, 1 << 22, {}}), 1.5);
  EXPECT_EQ(slower.of({Path::send, Layout::nn, 4096, {}}), 3);
  EXPECT_EQ(slower.of({Path::send, Layout::nn, 4096, {}, Packing::manual}), 2);
}

TEST(MessageFactors, AreOneOfWhatIsNoMessageBetweenNodes) {
  for (const Path path : {Path::shared, Path::copy, Path::to_self, Path::exposed, Path::collected, Path::barrier}) {
    EXPECT_EQ(slower.of({path, Layout::cc, 64, {}}), 1) << to_string(path);
  }
  EXPECT_EQ(slower.of({Path::send, Layout::cc, 64, {}, Packing::datatype, 0, 0, true}), 1);
}

TEST(MessageFactors, AreReadAsTheyWereWritten) {
  EXPECT_EQ(to_string(slower), "2 2 1 1 1.5 3 3 3 3 1");
  EXPECT_EQ(parse_message_factors(to_string(slower)), slower);
  EXPECT_EQ(parse_message_factors(to_string(MessageFactors{})), MessageFactors{});
  EXPECT_EQ(parse_message_factors("2 2 1 1 1.5 3 3 3 3 1 1 1 1 5 4"), slower)
      << "written when shared memory had some of them";
  for (const char* wrong :
       {"", "1", "1 1 1 1 1 1 1 1 1", "1 1 1 1 1 1 1 1 1 1 1", "1 1 1 1 1 1 1 1 1 x", "1 1 1 1 1 1 1 1 1 0",
        "1 1 1 1 1 1 1 1 1 -1", "1 1 1 1 1 1 1 1 1 inf", "1 1 1 1 1 1 1 1 1 1 1 1 1 1",
        "1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1", "1 1 1 1 1 1 1 1 1 1 1 1 1 1 x"}) {
    EXPECT_FALSE(parse_message_factors(wrong)) << wrong;
  }
}

}  // namespace
}  // namespace tilewright
