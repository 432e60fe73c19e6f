#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/test_pipeline.hpp"
#include "tilewright/pipeline/pipeline.hpp"

namespace tilewright {
namespace {

using test::filter;
using test::source;
using test::write;

TEST(StorageHalo, CoversAllReadersAndNoMore) {
  const Image in = source();
  const Image wide = filter({in}, {.name = "wide", .halo = {7, 1}});
  const Image high = filter({in}, {.name = "high", .halo = {2, 5}});
  const Image sum = filter({wide, high}, {.name = "sum"});
  const Image unused = filter({in}, {.name = "unused", .halo = {50, 50}});
  const Pipeline pipeline = record({write(sum)});
  EXPECT_EQ(pipeline.storage_halo(0), (Halo{7, 5}));
  EXPECT_EQ(pipeline.storage_halo(1), Halo{});  // read by sum alone
  EXPECT_EQ(pipeline.storage_halo(2), Halo{});
  EXPECT_EQ(pipeline.storage_halo(3), Halo{});  // read by no operator
}

TEST(StorageHalo, IsThatOfTheReaderAndNotOfTheMaker) {
  const Image in = source();
  const Image made = filter({in}, {.halo = {4, 4}});
  const Image read = filter({made, in}, {.halo = {1, 0}});
  const Pipeline pipeline = record({write(read)});
  EXPECT_EQ(pipeline.storage_halo(0), (Halo{4, 4}));
  EXPECT_EQ(pipeline.storage_halo(1), (Halo{1, 0}));
}

TEST(Readers, AreNamedOnceByTheFirstImageThatTheyMake) {
  const Image in = source();
  const Image squared = filter({in, in}, {.name = "squared"});
  const Image sum = filter({squared, in}, {.name = "sum"});
  const Pipeline pipeline = record({write(sum)});
  EXPECT_THAT(pipeline.readers(0), testing::ElementsAre(1, 2));
  EXPECT_THAT(pipeline.readers(1), testing::ElementsAre(2));
  EXPECT_THAT(pipeline.readers(2), testing::IsEmpty());
}

}  // namespace
}  // namespace tilewright
