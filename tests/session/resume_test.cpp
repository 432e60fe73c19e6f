#include "../../src/session/resume.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "support/temporary_folder.hpp"
#include "support/test_pipeline.hpp"
#include "tilewright/core/error.hpp"
#include "tilewright/imgops/arithmetic.hpp"
#include "tilewright/imgops/files.hpp"
#include "tilewright/session/session.hpp"

namespace tilewright {
namespace {

/// As a program that is killed in the middle.
class FailingFilter final : public Operator {
 public:
  [[nodiscard]] std::string describe() const override { return "failing"; }
  [[nodiscard]] ImageShape shape(std::span<const ImageShape> inputs) const override { return inputs.front(); }
  [[nodiscard]] Halo halo() const override { return {1, 1}; }
  [[nodiscard]] Border border() const override { return Border::reflect101; }
  [[nodiscard]] std::vector<Work> work(std::span<const ImageShape> /*inputs*/, const Extent& /*tile*/) const override {
    return {};
  }
  void compute(std::span<const ConstView> /*inputs*/, const MutableView& /*output*/,
               const ComputeContext& /*context*/) const override {
    throw RuntimeError("the filter fails");
  }
  void reference(std::span<const ConstView> /*inputs*/, const MutableView& /*output*/) const override {}
};

TEST(Resume, KnowsTheOutputsThatWereInPlaceBeforeTheRunEnded) {
  const test::TemporaryFolder folder;
  const auto path = [&](const std::string& name) { return (folder.path() / name).string(); };
  image_file_sink(path("in.tif"))->store(test::RampSource({}).load({}).view());
  const std::string database = path("bench.sqlite");
  const std::vector<std::string> words{"program", "--tw-resume", "--tw-db=" + database};
  const std::vector<const char*> arguments{words[0].c_str(), words[1].c_str(), words[2].c_str()};
  Session session(static_cast<int>(arguments.size()), arguments.data());
  const Image in = session.read(path("in.tif"));
  const Image done = sqrt(in);
  const Image open = apply(std::make_shared<const FailingFilter>(), {in});
  EXPECT_THROW(session.write({{path("done.tif"), done}, {path("open.tif"), open}}), RuntimeError);
  const OutputJournal journal(database);
  EXPECT_TRUE(journal.is_finished(path("done.tif"), done));
  EXPECT_FALSE(journal.is_finished(path("open.tif"), open));
  EXPECT_FALSE(journal.is_finished(path("done.tif"), open)) << "it is another pipeline's";
}

}  // namespace
}  // namespace tilewright
