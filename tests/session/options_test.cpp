#include "tilewright/session/options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "tilewright/core/error.hpp"

namespace tilewright {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

SessionOptions parse(std::vector<const char*> arguments, const std::map<std::string, std::string>& variables = {}) {
  arguments.insert(arguments.begin(), "app");
  return parse_session_options(static_cast<int>(arguments.size()), arguments.data(), [&](const char* name) {
    const auto variable = variables.find(name);
    return variable == variables.end() ? nullptr : variable->second.c_str();
  });
}

std::string error_of(const std::vector<const char*>& arguments) {
  try {
    (void)parse(arguments);
  } catch (const ParameterError& error) {
    return error.what();
  }
  return "no error";
}

TEST(SessionOptions, LeaveTheProgramsArgumentsAlone) {
  const SessionOptions options = parse({"in.tif", "--tw-ranks=3", "--sigma", "2", "--tw-grid", "1x3", "out"});
  EXPECT_THAT(options.arguments, ElementsAre("in.tif", "--sigma", "2", "out"));
  EXPECT_EQ(options.ranks, 3);
  EXPECT_EQ(options.grid, (GridPattern{1, 3}));
}

TEST(SessionOptions, ReadEveryOption) {
  const SessionOptions options = parse({"--tw-db=a.sqlite",
                                        "--tw-machine=m",
                                        "--tw-operators-from=n",
                                        "--tw-model=loggp-star",
                                        "--tw-nodes=2..8",
                                        "--tw-grid=1x3[4:2:2]",
                                        "--tw-tiles=by-speed",
                                        "--tw-turns=off",
                                        "--tw-overlap=on",
                                        "--tw-everywhere=off",
                                        "--tw-tree=sbt",
                                        "--tw-distribution=broadcast",
                                        "--tw-packing=datatype",
                                        "--tw-halo=deep",
                                        "--tw-regrid=always",
                                        "--tw-sharing=off",
                                        "--tw-objective=node-hours",
                                        "--tw-node-hours=2.5e-3",
                                        "--tw-memory=512MiB",
                                        "--tw-threads=2",
                                        "--tw-simd=scalar",
                                        "--tw-explain=analyze",
                                        "--tw-explain-format=json",
                                        "--tw-explain-file=e.json",
                                        "--tw-progress",
                                        "--tw-resume",
                                        "--tw-assume=in.tif=64x32:u16",
                                        "--tw-assume-value=1.5"});
  EXPECT_EQ(options.database, "a.sqlite");
  EXPECT_EQ(options.machine, "m");
  EXPECT_EQ(options.operators_from, "n");
  EXPECT_EQ(options.model, "loggp-star");
  EXPECT_EQ(options.wishes.objective, Objective::node_hours);
  EXPECT_EQ(options.wishes.most_node_hours, 2.5e-3);
  EXPECT_EQ(options.nodes->first, 2);
  EXPECT_EQ(options.nodes->last, 8);
  EXPECT_TRUE(options.nodes->as_range);
  EXPECT_FALSE(parse_node_range("8").as_range);
  EXPECT_EQ(options.grid, (GridPattern{1, 3, {}, {2, 1, 1}}));
  EXPECT_EQ(options.tiles, TileSizes::by_speed);
  EXPECT_EQ(options.tree, Algorithm::sbt);
  EXPECT_EQ(options.distribution, Distribution::broadcast);
  EXPECT_EQ(options.packing, Packing::datatype);
  EXPECT_EQ(options.halo, HaloChoice::deep);
  EXPECT_EQ(options.regrid, Regrid::always);
  EXPECT_FALSE(options.sharing);
  EXPECT_EQ(options.memory, std::int64_t{512} << 20);
  EXPECT_EQ(options.in_turn, false);
  EXPECT_EQ(parse({}).in_turn, std::nullopt);
  EXPECT_EQ(options.overlap, true);
  EXPECT_FALSE(options.everywhere);
  EXPECT_TRUE(parse({}).everywhere);
  EXPECT_EQ(parse({}).overlap, std::nullopt);
  EXPECT_EQ(options.threads, 2);
  EXPECT_EQ(parse({}).threads, std::nullopt) << "the plan decides";
  EXPECT_EQ(options.simd, SimdLevel::scalar);
  EXPECT_EQ(options.explain, Explain::analyze);
  EXPECT_EQ(options.explain_format, PlanFormat::json);
  EXPECT_EQ(options.explain_file, "e.json");
  EXPECT_TRUE(options.progress);
  EXPECT_TRUE(options.resume);
  ASSERT_EQ(options.assumed_images.size(), 1U);
  EXPECT_EQ(options.assumed_images[0].name, "in.tif");
  EXPECT_EQ(options.assumed_images[0].shape, (ImageShape{{64, 32}, {PixelType::u16, 1}}));
  EXPECT_EQ(options.assumed_value, 1.5);
}

TEST(SessionOptions, VariablesCountUnlessTheCommandLineSaysOtherwise) {
  const std::map<std::string, std::string> variables{
      {"TILEWRIGHT_RANKS", "4"}, {"TILEWRIGHT_EXPLAIN_FILE", "x"}, {"TILEWRIGHT_ASSUME", "a=8x8:u8;b=9x9:f32:3"}};
  EXPECT_EQ(parse({}, variables).ranks, 4);
  EXPECT_EQ(parse({"--tw-ranks=2"}, variables).ranks, 2);
  EXPECT_EQ(parse({}, variables).explain_file, "x");
  const SessionOptions options = parse({}, variables);
  ASSERT_EQ(options.assumed_images.size(), 2U);
  EXPECT_EQ(options.assumed_images[1].shape.format.channels, 3);
}

TEST(SessionOptions, WhereAndHowPlansArePrintedAsksForThem) {
  EXPECT_EQ(parse({}).explain, Explain::no);
  EXPECT_EQ(parse({"--tw-explain-file=f"}).explain, Explain::plan);
  EXPECT_EQ(parse({"--tw-explain-format=json"}).explain, Explain::plan);
  EXPECT_EQ(parse({"--tw-explain=analyze", "--tw-explain-file=f"}).explain, Explain::analyze);
  EXPECT_EQ(parse({"--tw-explain-file=f", "--tw-explain=analyze"}).explain, Explain::analyze);
  EXPECT_EQ(parse({"--tw-explain=off"}, {{"TILEWRIGHT_EXPLAIN_FILE", "f"}}).explain, Explain::no);
}

TEST(SessionOptions, TellWhichOfThemSayHowToPlan) {
  EXPECT_THAT(said_of_planning(parse({})), IsEmpty());
  EXPECT_THAT(said_of_planning(parse({"--tw-db=d", "--tw-machine=m", "--tw-simd=scalar", "--tw-explain", "--tw-resume",
                                      "--tw-sharing=on", "--tw-objective=time", "--tw-files=auto"})),
              IsEmpty());
  const std::vector<const char*> said{"--tw-operators-from=n",
                                      "--tw-model=p3pc",
                                      "--tw-ranks=2",
                                      "--tw-grid=1x2",
                                      "--tw-tiles=even",
                                      "--tw-turns=off",
                                      "--tw-overlap=on",
                                      "--tw-tree=sbt",
                                      "--tw-distribution=scatter",
                                      "--tw-packing=manual",
                                      "--tw-halo=deep",
                                      "--tw-keep=root",
                                      "--tw-files=root",
                                      "--tw-regrid=never",
                                      "--tw-memory=1GiB",
                                      "--tw-objective=node-hours",
                                      "--tw-threads=2",
                                      "--tw-node-hours=1",
                                      "--tw-sharing=off",
                                      "--tw-everywhere=off"};
  for (const char* option : said) {
    const std::string_view text = option;
    EXPECT_THAT(said_of_planning(parse({option})), ElementsAre(std::string(text.substr(0, text.find('='))))) << option;
  }
  EXPECT_THAT(said_of_planning(parse(said)), SizeIs(said.size()));
}

TEST(SessionOptions, HaveVariables) {
  EXPECT_EQ(session_variable("grid"), "TILEWRIGHT_GRID");
  EXPECT_EQ(session_variable("explain-file"), "TILEWRIGHT_EXPLAIN_FILE");
}

TEST(SessionOptions, ThatVerifyTriesAreTakenAndSayHowToPlan) {
  const std::vector<TriedValue> all = tried_values();
  EXPECT_GT(all.size(), 12U);
  for (const TriedValue& tried : all) {
    const std::string option = std::string(session_option_prefix) + tried.option;
    const std::string argument = option + "=" + tried.value;
    EXPECT_EQ(said_of_planning(parse({argument.c_str()})), std::vector{option}) << argument;
  }
}

TEST(SessionOptions, ADoubleDashEndsThem) {
  EXPECT_THAT(parse({"--", "--tw-ranks=3"}).arguments, ElementsAre("--tw-ranks=3"));
}

TEST(SessionOptions, WrongOnesAreNamed) {
  EXPECT_THAT(error_of({"--tw-rank=3"}), HasSubstr("unknown option --tw-rank"));
  EXPECT_THAT(error_of({"--tw-ranks=0"}), HasSubstr("--tw-ranks: '0'"));
  EXPECT_THAT(error_of({"--tw-ranks=three"}), HasSubstr("'three'"));
  EXPECT_THAT(error_of({"--tw-ranks"}), HasSubstr("needs a value"));
  EXPECT_THAT(error_of({"--tw-grid=4"}), HasSubstr("'4' is no process grid"));
  EXPECT_THAT(error_of({"--tw-tiles=odd"}), HasSubstr("even, by-speed or less-on-root"));
  EXPECT_THAT(error_of({"--tw-turns=2"}), HasSubstr("'2'"));
  EXPECT_THAT(error_of({"--tw-tree=fft"}), HasSubstr("oft sbt"));
  EXPECT_THAT(error_of({"--tw-model=guess"}), HasSubstr("'guess' is no cost model; known: p3pc-stride p3pc"));
  EXPECT_THAT(error_of({"--tw-packing=none"}), HasSubstr("datatype manual blocked"));
  EXPECT_THAT(error_of({"--tw-halo=none"}), HasSubstr("shallow or deep"));
  EXPECT_THAT(error_of({"--tw-regrid=maybe"}), HasSubstr("never or always"));
  EXPECT_THAT(error_of({"--tw-memory=lots"}), HasSubstr("'lots' is no size"));
  EXPECT_THAT(error_of({"--tw-nodes=8..2"}), HasSubstr("smaller"));
  EXPECT_THAT(error_of({"--tw-objective=money"}), HasSubstr("time or node-hours"));
  EXPECT_THAT(error_of({"--tw-threads=2147483647"}), HasSubstr("a rank has 8192 at most"));
  EXPECT_THAT(error_of({"--tw-node-hours=0"}), HasSubstr("more than 0"));
  EXPECT_THAT(error_of({"--tw-assume=in.tif"}), HasSubstr("NAME=WxH:type"));
  EXPECT_THAT(error_of({"--tw-help=1"}), HasSubstr("takes no value"));
}

TEST(SessionOptions, HelpNamesThemAll) {
  const std::string help = session_options_help();
  for (const char* name : {"help", "db",           "machine",        "model",        "ranks",    "grid",    "tiles",
                           "tree", "distribution", "packing",        "halo",         "regrid",   "threads", "simd",
                           "plan", "explain",      "explain-format", "explain-file", "progress", "resume"}) {
    EXPECT_THAT(help, HasSubstr(std::string("--tw-") + name));
  }
}

}  // namespace
}  // namespace tilewright
