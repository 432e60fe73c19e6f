#include "tilewright/core/date.hpp"

#include <gtest/gtest.h>

namespace tilewright {
namespace {

TEST(Date, OfNowIsReadBack) {
  const std::string now = date_now();
  EXPECT_EQ(now.size(), std::string("2026-11-27T16:58:09Z").size());
  EXPECT_EQ(now.back(), 'Z');
  const auto passed_s = seconds_since(now);
  ASSERT_TRUE(passed_s);
  EXPECT_GE(*passed_s, 0);
  EXPECT_LT(*passed_s, 60);
}

TEST(Date, CountsSecondsWhateverTheTimeZone) {
  const auto later = seconds_since("2026-11-27T01:00:00Z");
  const auto earlier = seconds_since("2026-11-26T23:00:01Z");
  ASSERT_TRUE(later && earlier);
  EXPECT_NEAR(*earlier - *later, 7199, 2);  // a second may pass between them
  EXPECT_LT(*seconds_since("9999-01-01T00:00:00Z"), 0);
}

TEST(Date, IsNoneOfAnythingElse) {
  for (const char* text : {"", "yesterday", "2026-11-27", "27.11.2026 16:58"})
    EXPECT_FALSE(seconds_since(text)) << text;
}

}  // namespace
}  // namespace tilewright
