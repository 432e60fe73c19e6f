// The text and the hash by which ranks, plans and finished outputs know a pipeline again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/test_pipeline.hpp"
#include "tilewright/core/units.hpp"
#include "tilewright/pipeline/pipeline.hpp"

namespace tilewright {
namespace {

using test::fetch;
using test::filter;
using test::keep;
using test::reduce;
using test::source;
using test::write;

TEST(PipelineText, HasALineATask) {
  const Image in = source({.name = "in.tif", .extent = {20, 10}});
  const Image sum = filter({in, in}, {.name = "sum"});
  EXPECT_EQ(record({write(sum, "out.tif"), fetch(sum), keep(in), reduce(sum)}).describe(),
            "image0 (20x10 f32) = read in.tif\n"
            "image1 (20x10 f32) = sum of image0, image0\n"
            "write image1 to out.tif\n"
            "fetch image1\n"
            "keep image0\n"
            "total of image1\n");
}

TEST(PipelineHash, IsThatOfTheText) {
  const Pipeline pipeline = record({write(source())});
  EXPECT_EQ(pipeline.hash(), hash_text(pipeline.describe()));
}

TEST(PipelineHash, IsEqualForPipelinesThatAreRecordedAlike) {
  const auto record_it = [] {
    const Image in = source();
    return record({write(filter({in, filter({in})}))}).hash();
  };
  EXPECT_EQ(record_it(), record_it());
}

TEST(PipelineHash, DiffersInAllThatTheResultDependsOn) {
  const Image in = source();
  const Image other = source({.name = "other"});
  const Image a = filter({in}, {.name = "a"});
  const Image b = filter({in}, {.name = "b"});
  const std::vector<Pipeline> pipelines{
      record({write(a)}),
      record({write(b)}),               // another operator
      record({write(a, "elsewhere")}),  // another sink
      record({fetch(a)}),               // another kind of output
      record({keep(a)}),
      record({reduce(a)}),
      record({write(a), write(a)}),  // one output more
      record({write(a), fetch(b)}),
      record({fetch(b), write(a)}),                     // another order
      record({write(filter({other}, {.name = "a"}))}),  // another source
      record({write(filter({source({.extent = {63, 48}})}, {.name = "a"}))}),
      record({write(filter({source({.channels = 2})}, {.name = "a"}))}),
      record({write(filter({in, other}))}),
      record({write(filter({other, in}))}),  // inputs exchanged
      record({write(filter({in, in}))}),
      record({write(filter({a, in}))}),
      record({write(filter({in, a}))}),
  };
  for (std::size_t i = 0; i < pipelines.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      EXPECT_NE(pipelines[i].hash(), pipelines[j].hash()) << i << " and " << j << "\n" << pipelines[i].describe();
    }
  }
}

}  // namespace
}  // namespace tilewright
