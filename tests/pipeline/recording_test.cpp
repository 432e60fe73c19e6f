// What record() makes of a graph: order, sharing, names.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/test_pipeline.hpp"
#include "tilewright/core/error.hpp"
#include "tilewright/pipeline/pipeline.hpp"

namespace tilewright {
namespace {

using test::fetch;
using test::filter;
using test::keep;
using test::source;
using test::write;
using testing::ElementsAre;
using testing::IsEmpty;

/// The tasks as text: "i3" obtains image 3, "o0" serves output 0.
std::vector<std::string> tasks_of(const Pipeline& pipeline) {
  std::vector<std::string> names;
  for (const Task& task : pipeline.tasks) {
    names.push_back((task.kind == Task::Kind::obtain ? "i" : "o") + std::to_string(task.index));
  }
  return names;
}

std::vector<std::string> makers_of(const Pipeline& pipeline) {
  std::vector<std::string> names;
  for (const PipelineImage& image : pipeline.images) {
    names.push_back(image.source ? image.source->describe() : image.op->describe());
  }
  return names;
}

TEST(Record, ServesEachOutputAsSoonAsItsImageIsThere) {
  const Image in = source();
  const Image a = filter({in}, {.name = "a"});
  const Image b = filter({in}, {.name = "b"});
  const Pipeline pipeline = record({write(a, "x"), write(b, "y")});
  EXPECT_THAT(makers_of(pipeline), ElementsAre("ramp", "a", "b"));
  EXPECT_THAT(tasks_of(pipeline), ElementsAre("i0", "i1", "o0", "i2", "o1"));
}

TEST(Record, TakesInputsInTheirOrderAndBeforeTheirReader) {
  const Image first = source({.name = "first"});
  const Image second = source({.name = "second"});
  const Image a = filter({second}, {.name = "a"});
  const Image sum = filter({a, first}, {.name = "sum"});
  const Pipeline pipeline = record({fetch(sum)});
  EXPECT_THAT(makers_of(pipeline), ElementsAre("second", "a", "first", "sum"));
  EXPECT_THAT(pipeline.images[3].inputs, ElementsAre(1, 2));
  for (std::size_t i = 0; i < pipeline.images.size(); ++i) {
    EXPECT_EQ(pipeline.images[i].name, "image" + std::to_string(i));
    EXPECT_THAT(pipeline.images[i].inputs, testing::Each(testing::Lt(static_cast<int>(i))));
  }
}

TEST(Record, ObtainsASharedImageOnce) {
  const Image in = source();
  const Image squared = filter({in, in}, {.name = "twice"});
  const Image sum = filter({squared, in, squared}, {.name = "sum"});
  const Pipeline pipeline = record({write(sum), fetch(sum), keep(in)});
  EXPECT_THAT(makers_of(pipeline), ElementsAre("ramp", "twice", "sum"));
  EXPECT_THAT(pipeline.images[1].inputs, ElementsAre(0, 0));
  EXPECT_THAT(pipeline.images[2].inputs, ElementsAre(1, 0, 1));
  EXPECT_THAT(tasks_of(pipeline), ElementsAre("i0", "i1", "i2", "o0", "o1", "o2"));
  EXPECT_EQ(pipeline.outputs[0].kind, OutputKind::write);
  EXPECT_EQ(pipeline.outputs[1].kind, OutputKind::fetch);
  EXPECT_EQ(pipeline.outputs[2].kind, OutputKind::keep);
  EXPECT_EQ(pipeline.outputs[2].image, 0);
}

TEST(Record, LeavesOutWhatNobodyAsksFor) {
  const Image in = source();
  const Image unused = filter({in}, {.name = "unused"});
  const Pipeline pipeline = record({write(in)});
  EXPECT_THAT(makers_of(pipeline), ElementsAre("ramp"));
  EXPECT_THAT(tasks_of(pipeline), ElementsAre("i0", "o0"));
}

TEST(Record, HoldsForLongChains) {
  constexpr int length = 5000;
  Image image = source();
  for (int i = 0; i < length; ++i) image = filter({image});
  const Pipeline pipeline = record({write(image)});
  EXPECT_EQ(pipeline.images.size(), length + 1U);
  EXPECT_THAT(pipeline.images.back().inputs, ElementsAre(length - 1));
}

TEST(Record, IsLinearInSharedImages) {
  // Each image reads the former one twice: 2^60 paths lead to the source, but 61 images.
  Image image = source();
  for (int i = 0; i < 60; ++i) image = filter({image, image});
  EXPECT_EQ(record({write(image)}).images.size(), 61U);
}

TEST(Record, WithoutAnyOutputIsRefused) {
  EXPECT_THROW((void)record({}), ParameterError);
}

TEST(Record, AReductionWithoutAMethodIsRefused) {
  EXPECT_THROW((void)record({{OutputKind::reduce, source(), nullptr, nullptr}}), ParameterError);
}

TEST(Pipeline, KnowsWhatTheProgramHasOfARun) {
  const Image in = source({.extent = {20, 10}});
  const Image kept = filter({in}), fetched = filter({kept}), written = filter({fetched});
  const Pipeline pipeline = record({{OutputKind::keep, kept, nullptr, nullptr},
                                    {OutputKind::fetch, kept, nullptr, nullptr},
                                    {OutputKind::fetch, fetched, nullptr, nullptr},
                                    write(written)});
  EXPECT_EQ(pipeline.result_bytes(), 2 * 20 * 10 * 4);
}

TEST(Pipeline, KnowsTheShapesOfAnImagesInputs) {
  const Image in = source({.extent = {20, 10}, .channels = 3});
  const Pipeline pipeline = record({write(filter({in, in}))});
  const ImageShape shape{{20, 10}, {PixelType::f32, 3}};
  EXPECT_THAT(pipeline.input_shapes(1), ElementsAre(shape, shape));
  EXPECT_THAT(pipeline.input_shapes(0), IsEmpty());
  EXPECT_EQ(pipeline.images[1].shape, shape);
}

}  // namespace
}  // namespace tilewright
