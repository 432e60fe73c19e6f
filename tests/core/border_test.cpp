#include "tilewright/core/border.hpp"

#include <gtest/gtest.h>

#include <string>

#include "tilewright/core/error.hpp"

namespace tilewright {
namespace {

/// The row a b c d ... with `beyond` pixels on each side; a pixel of a constant border is k.
std::string row(std::int64_t size, std::int64_t beyond, Border border) {
  std::string text;
  for (std::int64_t i = -beyond; i < size + beyond; ++i) {
    const auto index = border_index(i, size, border);
    text += index ? static_cast<char>('a' + *index) : 'k';
  }
  return text;
}

TEST(BorderIndex, IsAsDrawnInTheHeader) {
  EXPECT_EQ(row(4, 2, Border::constant), "kkabcdkk");
  EXPECT_EQ(row(4, 2, Border::replicate), "aaabcddd");
  EXPECT_EQ(row(4, 2, Border::reflect), "baabcddc");
  EXPECT_EQ(row(4, 2, Border::reflect101), "cbabcdcb");
  EXPECT_EQ(row(4, 2, Border::wrap), "cdabcdab");
}

TEST(BorderIndex, RepeatsBeyondImagesThatAreSmallerThanTheNeighbourhood) {
  EXPECT_EQ(row(2, 7, Border::constant), "kkkkkkkabkkkkkkk");
  EXPECT_EQ(row(2, 7, Border::replicate), "aaaaaaaabbbbbbbb");
  EXPECT_EQ(row(2, 7, Border::reflect), "bbaabbaabbaabbaa");
  EXPECT_EQ(row(2, 7, Border::reflect101), "babababababababa");
  EXPECT_EQ(row(2, 7, Border::wrap), "babababababababa");
  EXPECT_EQ(row(3, 6, Border::reflect), "abccbaabccbaabc");
  EXPECT_EQ(row(3, 6, Border::reflect101), "cbabcbabcbabcba");
}

TEST(BorderIndex, OfASinglePixelIsThatPixel) {
  for (const Border border : {Border::replicate, Border::reflect, Border::reflect101, Border::wrap}) {
    EXPECT_EQ(row(1, 5, border), std::string(11, 'a')) << to_string(border);
  }
  EXPECT_EQ(row(1, 1, Border::constant), "kak");
}

TEST(BorderIndex, HoldsFarAway) {
  const std::int64_t far = std::int64_t{1} << 50;
  for (const Border border : {Border::replicate, Border::reflect, Border::reflect101, Border::wrap}) {
    for (const std::int64_t index : {-far, far}) {
      const auto inside = border_index(index, 1000, border);
      ASSERT_TRUE(inside);
      EXPECT_GE(*inside, 0);
      EXPECT_LT(*inside, 1000);
    }
  }
}

TEST(Border, NamesAreReadBack) {
  for (const Border border : all_borders) EXPECT_EQ(parse_border(to_string(border)), border);
  EXPECT_THROW((void)parse_border("mirror"), ParameterError);
  EXPECT_THROW((void)parse_border(""), ParameterError);
}

}  // namespace
}  // namespace tilewright
