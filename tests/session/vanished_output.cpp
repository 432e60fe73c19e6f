// An output vanishes before it is noted as complete (--tw-resume), which the root alone finds out: every rank meets the
// error, and may go on. Run in a folder of its own.
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "support/flat_profile.hpp"
#include "support/test_pipeline.hpp"
#include "tilewright/benchdb/store.hpp"
#include "tilewright/core/error.hpp"
#include "tilewright/imgops/arithmetic.hpp"
#include "tilewright/imgops/files.hpp"
#include "tilewright/session/failure.hpp"
#include "tilewright/session/session.hpp"

namespace tilewright {
namespace {

/// Removes a file meanwhile.
class RemovingFilter final : public Operator {
 public:
  explicit RemovingFilter(std::string path) : path_(std::move(path)) {}
  [[nodiscard]] std::string describe() const override { return "removing"; }
  [[nodiscard]] ImageShape shape(std::span<const ImageShape> inputs) const override { return inputs.front(); }
  [[nodiscard]] Halo halo() const override { return {}; }
  [[nodiscard]] Border border() const override { return Border::reflect101; }
  [[nodiscard]] std::vector<Work> work(std::span<const ImageShape> /*inputs*/, const Extent& /*tile*/) const override {
    return {};
  }
  void compute(std::span<const ConstView> /*inputs*/, const MutableView& /*output*/,
               const ComputeContext& /*context*/) const override {
    std::filesystem::remove(path_);
  }
  void reference(std::span<const ConstView> /*inputs*/, const MutableView& /*output*/) const override {}

 private:
  std::string path_;
};

int run(const char* program) {
  if (launched_rank() == 0) {
    image_file_sink("in.tif")->store(test::RampSource({}).load({}).view());
    Store("bench.sqlite", OpenMode::create).save({test::flat_profile(), {}});
  }
  const std::string machine = "--tw-machine=" + test::flat_profile().name();
  const char* const arguments[] = {program, "--tw-resume", "--tw-db=bench.sqlite", machine.c_str(), "--tw-ranks=1"};
  Session session(5, arguments);
  const Image in = session.read("in.tif");
  const Image other = apply(std::make_shared<const RemovingFilter>("done.tif"), {in});
  int status = 1;
  try {
    session.write({{"done.tif", sqrt(in)}, {"other.tif", other}});
    fmt::print(stderr, "rank {} has met no error\n", session.rank());
  } catch (const RuntimeError&) {
    status = 0;
  }
  session.create_folder(".");
  return status;
}

}  // namespace
}  // namespace tilewright

int main(int /*argc*/, char** argv) {
  return tilewright::run(argv[0]);
}
