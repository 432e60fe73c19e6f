#include "tilewright/core/units.hpp"

#include <gtest/gtest.h>

#include "tilewright/core/error.hpp"

namespace tilewright {
namespace {

TEST(FormatSeconds, HasThreeDigitsAndAUnit) {
  EXPECT_EQ(format_seconds(0), "0 s");
  EXPECT_EQ(format_seconds(1.234e-3), "1.23 ms");
  EXPECT_EQ(format_seconds(45.6e-6), "45.6 us");
  EXPECT_EQ(format_seconds(12), "12.0 s");
  EXPECT_EQ(format_seconds(123.4), "123 s");
  EXPECT_EQ(format_seconds(5e-9), "5.00 ns");
  EXPECT_EQ(format_seconds(0.17e-9), "0.17 ns");
  EXPECT_EQ(format_seconds(0.22e-6), "0.22 us");
  EXPECT_EQ(format_seconds(-2e-3), "-2.00 ms");
}

TEST(FormatSeconds, GoesOnToTheNextUnitWhereRoundingReachesIt) {
  EXPECT_EQ(format_seconds(0.0009994), "999 us");
  EXPECT_EQ(format_seconds(0.0009996), "1.00 ms");
  EXPECT_EQ(format_seconds(0.9994), "999 ms");
  EXPECT_EQ(format_seconds(0.9996), "1.00 s");
}

TEST(FormatBytes, UsesBinaryUnits) {
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(512), "512 B");
  EXPECT_EQ(format_bytes(1023), "1023 B");
  EXPECT_EQ(format_bytes(1024), "1.00 KiB");
  EXPECT_EQ(format_bytes(1536 * 1024), "1.50 MiB");
  EXPECT_EQ(format_bytes(std::int64_t{3} << 30), "3.00 GiB");
  EXPECT_EQ(format_bytes(std::int64_t{5000} << 40), "5000 TiB");
}

TEST(ParseBytes, ReadsWhatFormatBytesWrites) {
  for (const std::int64_t bytes : {1, 512, 1024, 1536 * 1024}) EXPECT_EQ(parse_bytes(format_bytes(bytes)), bytes);
  EXPECT_EQ(parse_bytes("300000"), 300000);
  EXPECT_EQ(parse_bytes("16GiB"), std::int64_t{16} << 30);
  EXPECT_EQ(parse_bytes("0.5TiB"), std::int64_t{512} << 30);
}

TEST(ParseBytes, RefusesWhatIsNoSize) {
  for (const char* text : {"", "0", "-1KiB", "MiB", "12 apples", "12MB", "nan", "inf", "1e30TiB"}) {
    EXPECT_THROW((void)parse_bytes(text), ParameterError) << text;
  }
}

TEST(HashText, IsFnv1aWith64Bits) {
  // Check values of the algorithm's authors (Fowler, Noll, Vo).
  EXPECT_EQ(hash_text(""), 0xcbf29ce484222325ULL);
  EXPECT_EQ(hash_text("a"), 0xaf63dc4c8601ec8cULL);
  EXPECT_EQ(hash_text("foobar"), 0x85944171f73967e8ULL);
  EXPECT_EQ(hash_text("bar", hash_text("foo")), hash_text("foobar"));
}

}  // namespace
}  // namespace tilewright
