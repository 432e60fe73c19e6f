// What is forced of one rank alone that has no machine profile is honoured or refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../src/session/planning.hpp"
#include "tilewright/core/error.hpp"
#include "tilewright/imgops/arithmetic.hpp"
#include "tilewright/imgops/files.hpp"

namespace tilewright {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

Plan plan_with(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "app");
  const auto nothing = [](const char*) -> const char* { return nullptr; };
  const SessionOptions options = parse_session_options(static_cast<int>(arguments.size()), arguments.data(), nothing);
  const Image in(assumed_file("in.tif", ImageShape{{64, 64}, {PixelType::f32, 1}}));
  const Pipeline pipeline = record({{OutputKind::keep, sqrt(in), nullptr, nullptr}});
  const Communicator alone = Communicator::alone();
  return make_plan(pipeline, std::nullopt, search_space_for_run(options, nullptr, alone), options);
}

TEST(PlanAlone, IsAsItIsForced) {
  EXPECT_EQ(plan_with({"--tw-threads=3", "--tw-ranks=1", "--tw-grid=*x1"}).threads, 3);
  const Plan plan = plan_with({});
  for (const char* option :
       {"--tw-tree=sbt", "--tw-distribution=broadcast", "--tw-packing=manual", "--tw-halo=deep", "--tw-regrid=never",
        "--tw-turns=off", "--tw-overlap=on", "--tw-tiles=even", "--tw-files=root", "--tw-keep=tiles",
        "--tw-sharing=off", "--tw-everywhere=off", "--tw-objective=node-hours", "--tw-memory=1GiB"}) {
    EXPECT_EQ(plan_with({option}), plan) << option;
  }
}

TEST(PlanAlone, IsRefusedWhereItCannotBe) {
  for (const char* option : {"--tw-tree=shared", "--tw-turns=on", "--tw-regrid=always", "--tw-files=parallel",
                             "--tw-tiles=by-speed", "--tw-tiles=less-on-root"}) {
    EXPECT_THAT([&] { (void)plan_with({option}); },
                ThrowsMessage<ParameterError>(AllOf(HasSubstr(option), HasSubstr("start it with mpiexec"))));
  }
  for (const char* option : {"--tw-ranks=2", "--tw-grid=1x2"}) {
    EXPECT_THAT([&] { (void)plan_with({option}); }, ThrowsMessage<ParameterError>(HasSubstr("more than one rank")));
  }
  for (const char* option : {"--tw-model=p3pc", "--tw-operators-from=das", "--tw-node-hours=1"}) {
    const std::string name(option, std::string_view(option).find('='));
    EXPECT_THAT([&] { (void)plan_with({option}); },
                ThrowsMessage<ParameterError>(AllOf(HasSubstr(name), HasSubstr("no machine profile to plan with"))));
  }
  EXPECT_THAT([] { (void)plan_with({"--tw-memory=1KiB"}); },
              ThrowsMessage<ParameterError>(HasSubstr("a plan may take 1.00 KiB, but that of one rank alone takes")));
}

}  // namespace
}  // namespace tilewright
