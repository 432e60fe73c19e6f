// The tilewright command: its contract (docs/manual.md).
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "program_runner.hpp"
#include "tilewright/benchdb/store.hpp"

namespace tilewright::test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class Command : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder = fresh_folder("command");
    const auto begin = std::chrono::steady_clock::now();
    const Outcome calibrated = calibrate_into(folder / "bench.sqlite");
    calibration_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    ASSERT_EQ(calibrated.status, 0) << calibrated.error;
    ASSERT_EQ(
        tilewright(fmt::format("db import {}/benchdb/profiles/das.csv --machine das", TILEWRIGHT_SOURCE_DIR)).status,
        0);
  }

  static Outcome tilewright(const std::string& arguments) {
    return run(fmt::format("TILEWRIGHT_DB=bench.sqlite {} {}", program("tilewright"), arguments), folder);
  }
  static json tilewright_json(const std::string& arguments) {
    const Outcome outcome = tilewright(arguments);
    EXPECT_EQ(outcome.status, 0) << outcome.error;
    return json::parse(outcome.out);
  }
  static std::string retina() { return TILEWRIGHT_SOURCE_DIR "/apps/images/retina.jpg"; }
  /// The name of the calibrated machine: the one that is not the paper's.
  static std::string here() {
    const json list = tilewright_json("db list --format json");
    const json& machines = list.at("machines");
    for (const json& machine : machines) {
      if (machine.at("name") != "das" && machine.at("name") != "twin") return machine.at("name");
    }
    return "";
  }

  static inline std::filesystem::path folder;
  static inline double calibration_s = 0;
};

TEST_F(Command, QuickCalibrationTakesAtMostTwentySeconds) {
  EXPECT_LE(calibration_s, 20);  // a promise of the command, not a measurement: it watches the clock itself
  const json machines = tilewright_json("db list --format json").at("machines");
  ASSERT_EQ(machines.size(), 2U);
  const json& machine = machines[0].at("name") == "das" ? machines[1] : machines[0];
  EXPECT_EQ(machine.at("ranks"), 2);
  EXPECT_EQ(machine.at("effort"), "quick");
  EXPECT_GE(machine.at("path_cells"), 60);
  EXPECT_GT(machine.at("raw_samples"), machine.at("path_cells"));
}

TEST_F(Command, ListsAndShowsThatAProfileIsStale) {
  const std::string db = " --db drifted.sqlite";
  const std::string import = fmt::format("db import {}/benchdb/profiles/das.csv --machine ", TILEWRIGHT_SOURCE_DIR);
  for (const std::string machine : {"drifted", "fresh"}) ASSERT_EQ(tilewright(import + machine + db).status, 0);
  StoredRun run;
  run.pipeline = "p";
  run.predicted_s = 1;
  run.measured_s = 2;
  Store(folder / "drifted.sqlite", OpenMode::existing).record_runs("drifted", std::vector<StoredRun>(6, run));

  const std::string told = "the last 6 runs took 2.00 times as long as predicted";
  EXPECT_THAT(tilewright("db list" + db).out, HasSubstr(told + ": the profile of 'drifted' may no longer hold"));
  EXPECT_THAT(tilewright("db list" + db).out, Not(HasSubstr("'fresh'")));
  EXPECT_THAT(tilewright("db show drifted" + db).out, HasSubstr("stale      " + told));
  EXPECT_THAT(tilewright("db show fresh" + db).out, Not(HasSubstr("stale")));

  const json machines = tilewright_json("db list --format json" + db).at("machines");
  for (const json& machine : machines) {
    const bool is_stale = machine.at("name") == "drifted";
    const json shown = tilewright_json("db show --format json " + machine.at("name").get<std::string>() + db);
    for (const json& said : {machine, shown}) {
      EXPECT_EQ(said.at("stale"), is_stale);
      EXPECT_EQ(said.at("runs_factor"), is_stale ? json(2.0) : json());
    }
  }
  std::ofstream(folder / "shown.json") << tilewright("db show drifted --format json" + db).out;
  EXPECT_EQ(tilewright("db import shown.json --machine again" + db).status, 0);
}

TEST_F(Command, ComparesEveryModelAndKeepsTheMeasurements) {
  const std::string compare = fmt::format("compare --machine {} --messages 20 --budget 0.5 --keep kept.json", here());
  const Outcome measured =
      run(fmt::format("TILEWRIGHT_DB=bench.sqlite {} {} {} --format json", mpiexec(2), program("tilewright"), compare),
          folder);
  ASSERT_EQ(measured.status, 0) << measured.error;
  const json report = json::parse(measured.out);
  EXPECT_EQ(report.at("schema"), "tilewright.compare/1");
  EXPECT_EQ(report.at("messages").size(), 20U);
  EXPECT_EQ(report.at("launches"), 1);
  EXPECT_EQ(report.at("models").size(), 13U);
  for (const json& model : report.at("models")) {
    EXPECT_FALSE(model.contains("missing")) << model.dump() << ": the calibration has all that models need";
  }
  const Outcome kept = tilewright(compare);
  EXPECT_EQ(kept.status, 0) << kept.error;
  EXPECT_THAT(kept.out, HasSubstr("20 messages"));
  const Outcome alone = tilewright(fmt::format("compare --machine {}", here()));
  EXPECT_EQ(alone.status, 2);
  EXPECT_THAT(alone.error, HasSubstr("mpiexec"));
}

TEST_F(Command, ComparisonsOfTwoMachinesAreNotMixed) {
  const std::string options = "--messages 8 --budget 0.1 --keep one.json";
  const std::string ranks = fmt::format("TILEWRIGHT_DB=bench.sqlite {} {}", mpiexec(2), program("tilewright"));
  ASSERT_EQ(run(fmt::format("{} compare --machine {} {}", ranks, here(), options), folder).status, 0);
  const auto kept = [] { return json::parse(std::ifstream(folder / "one.json")); };
  const json before = kept();
  const Outcome refused = run(fmt::format("{} compare --machine das {}", ranks, options), folder);
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.error, HasSubstr("one.json holds measurements of machine '" + here()));
  const Outcome told = tilewright(fmt::format("compare --machine das {}", options));
  EXPECT_EQ(told.status, 0) << told.error;
  EXPECT_THAT(told.out, HasSubstr("machine das: 8 messages"));
  EXPECT_EQ(kept(), before);
}

TEST_F(Command, ComparesNothingWithAProfileWithoutMessages) {
  Store(folder / "bench.sqlite", OpenMode::create).save({MachineProfile("twin", {}, {}, {}), {}});
  const Outcome refused = run(fmt::format("TILEWRIGHT_DB=bench.sqlite {} {} compare --machine twin --budget 3600",
                                          mpiexec(2), program("tilewright")),
                              folder);
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.error, HasSubstr("'twin' has no costs of messages"));
  EXPECT_EQ(tilewright("db remove twin").status, 0);
}

TEST_F(Command, MeasuresNothingThatCannotBeKept) {
  const Outcome refused = run(fmt::format("TILEWRIGHT_DB=bench.sqlite {} {} compare --machine das --budget 3600 --keep "
                                          "missing/kept.json",
                                          mpiexec(2), program("tilewright")),
                              folder);
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.error, HasSubstr("cannot write missing/kept.json"));
}

TEST_F(Command, ChecksTheFileOnceHoweverManyRanksThereAre) {
  const Outcome checked =
      run(fmt::format("TILEWRIGHT_DB=bench.sqlite {} {} db check --format json", mpiexec(2), program("tilewright")),
          folder);
  EXPECT_EQ(checked.status, 0) << checked.error;
  EXPECT_EQ(json::parse(checked.out).at("schema"), "tilewright.check/1");
}

TEST_F(Command, AnExportThatCannotBeWrittenLeavesTheOneBefore) {
  const std::string command = fmt::format("db export {} -o ", here());
  ASSERT_EQ(tilewright(command + "before.csv").status, 0);
  std::ofstream(folder / "good.csv") << "good";
  const Outcome failed = run(fmt::format("trap '' XFSZ; ulimit -f 1; TILEWRIGHT_DB=bench.sqlite {} {}good.csv",
                                         program("tilewright"), command),
                             folder);  // so many blocks a file may have
  EXPECT_EQ(failed.status, 1);
  EXPECT_THAT(failed.error, HasSubstr("cannot write good.csv"));
  EXPECT_EQ(run("cat good.csv", folder).out, "good");
  ASSERT_EQ(run("ln -s good.csv link.csv", folder).status, 0);
  EXPECT_EQ(tilewright(command + "link.csv").status, 0);
  EXPECT_EQ(run("test -L link.csv && cmp good.csv before.csv", folder).status, 0);
  const Outcome piped = tilewright(command + "/dev/stdout");
  EXPECT_EQ(piped.out, run("cat before.csv", folder).out);
  EXPECT_EQ(run("ls -A | grep part", folder).out, "");
}

TEST_F(Command, SaysWhenItsHelpOrAResultCannotBePrinted) {
  for (const std::string arguments : {"--help", "calibrate --help"}) {
    const Outcome outcome = run(fmt::format("{} {} > /dev/full", program("tilewright"), arguments), folder);
    EXPECT_EQ(outcome.status, 1) << arguments;
    EXPECT_THAT(outcome.error, HasSubstr("standard output cannot be written"));
  }
  const Outcome application =
      run(fmt::format("{} {} diffused.tif --most 1 > /dev/full", program("diffusion"), retina()), folder);
  EXPECT_EQ(application.status, 1);
  EXPECT_THAT(application.error, HasSubstr("standard output cannot be written"));
}

TEST_F(Command, RefusesWhatItWouldIgnoreOrTakeForSomethingElse) {
  std::ofstream(folder / "none.json") << "[]";
  const std::vector<std::pair<std::string, std::string>> wrong{
      {"plan --diff none.json none.json -- true", "--diff compares two stored plans"},
      {"plan --diff none.json none.json --nodes 3", "--diff compares two stored plans"},
      {"calibrate --machine '' --effort quick", "the machine needs a name"},
      {"calibrate --budget -1", "'-1' is not a number of at least 0"},
      {"predict --machine das --operation redistribute --image 8x8 --ranks 2", "redistribute not in"}};
  for (const auto& [arguments, message] : wrong) {
    const Outcome outcome = tilewright(arguments);
    EXPECT_EQ(outcome.status, 2) << arguments;
    EXPECT_THAT(outcome.error, HasSubstr(message));
  }
}

TEST_F(Command, MeasuresSentinelsAgainAndExportsForSimGrid) {
  const json check = json::parse(run(fmt::format("TILEWRIGHT_DB=bench.sqlite {} {} db check {} --format json",
                                                 mpiexec(2), program("tilewright"), here()),
                                     folder)
                                     .out);
  EXPECT_GE(check.at("sentinels").size(), 5U);
  EXPECT_TRUE(check.at("nothing_compared").is_null());
  for (const json& sentinel : check.at("sentinels")) EXPECT_GT(sentinel.at("seconds_now"), 0) << sentinel.dump();
  EXPECT_THAT(tilewright(fmt::format("db export {} --format simgrid", here())).out, HasSubstr("smpi/ois"));
}

TEST_F(Command, SaysThatNothingOfAnImportedProfileWasCompared) {
  const auto check = [&](const std::string& format) {
    return run(fmt::format("TILEWRIGHT_DB=bench.sqlite {} {} db check das --format {}", mpiexec(2),
                           program("tilewright"), format),
               folder);
  };
  const Outcome text = check("text");
  EXPECT_EQ(text.status, 0) << text.error;
  EXPECT_THAT(text.out, HasSubstr("nothing was compared: 'das'"));
  EXPECT_THAT(text.out, HasSubstr("no problems in the file"));
  const json told = json::parse(check("json").out);
  EXPECT_TRUE(told.at("sentinels").empty());
  EXPECT_THAT(told.at("nothing_compared").get<std::string>(), HasSubstr("imported"));
}

TEST_F(Command, KeepsRunsAndPinsTheirPlans) {
  const auto structure = [&](const std::string& arguments) {
    return run(fmt::format("TILEWRIGHT_DB=bench.sqlite TILEWRIGHT_MACHINE={} {} {} {} kept {}", here(), mpiexec(2),
                           program("differential_structure"), retina(), "--sigma 2 " + arguments),
               folder);
  };
  const auto runs = [&] { return tilewright_json(fmt::format("db runs {} --format json", here())); };
  const Outcome forced = structure("--tw-ranks=2");
  ASSERT_EQ(forced.status, 0) << forced.error;
  const json first = runs().at("runs");
  ASSERT_EQ(first.size(), 1U);
  EXPECT_EQ(first[0].at("program"), "differential_structure");
  EXPECT_EQ(first[0].at("ranks"), 2);
  EXPECT_GT(first[0].at("measured_seconds"), 0);
  ASSERT_EQ(structure("--tw-history=off").status, 0);
  EXPECT_EQ(runs().at("runs").size(), 1U) << "it was not to be kept";

  const int id = first[0].at("run");
  ASSERT_EQ(tilewright(fmt::format("db pin {} {}", here(), id)).status, 0);
  const std::string pipeline = first[0].at("pipeline");
  EXPECT_EQ(runs().at("pinned").at(0).at("pipeline"), pipeline);
  const Outcome pinned = structure("--tw-explain --tw-explain-format=json");
  ASSERT_EQ(pinned.status, 0) << pinned.error;
  const json plan =
      json::parse(pinned.out.substr(pinned.out.find('{'), pinned.out.rfind('}') - pinned.out.find('{') + 1));
  EXPECT_EQ(plan.at("ranks"), 2);
  EXPECT_THAT(plan.at("notes").dump(), HasSubstr("pinned"));
  EXPECT_EQ(runs().at("runs").size(), 2U);
  const json stored = tilewright_json(fmt::format("db runs {} --plan {}", here(), id));
  EXPECT_EQ(stored.at("steps").size(), plan.at("steps").size());

  ASSERT_EQ(tilewright(fmt::format("db unpin {} {}", here(), pipeline)).status, 0);
  EXPECT_EQ(tilewright(fmt::format("db unpin {} {}", here(), pipeline)).status, 2);
  EXPECT_EQ(tilewright(fmt::format("db pin {} 999999", here())).status, 2);
}

/// Only that may be impossible which not every pipeline has, as a change of the grid, or which takes more ranks.
void expect_same(const json& run) {
  const std::string way = run.at("decomposition");
  const bool may_lack =
      way.find("regrid") != way.npos || way.find("turns") != way.npos || way.find("tiles") != way.npos;
  EXPECT_TRUE(run.at("result") == "identical" || (may_lack && run.at("result") == "not possible")) << run.dump();
}

TEST_F(Command, VerifiesThatAProgramComputesTheSameHoweverItIsCut) {
  const json found =
      tilewright_json(fmt::format("verify --machine {} --ranks 2..3 --format json -- {} {} verified --sigma 2", here(),
                                  program("differential_structure"), retina()));
  EXPECT_TRUE(found.at("identical"));
  EXPECT_EQ(found.at("outputs").size(), 6U);
  ASSERT_GT(found.at("runs").size(), 20U);
  for (const json& run : found.at("runs")) expect_same(run);
  EXPECT_FALSE(std::filesystem::exists(folder / "verified")) << "nothing is stored";

  std::ofstream(folder / "small.pgm") << "P5 32 24 255\n" << std::string(32 * 24, 'x');
  const Outcome small = tilewright(fmt::format("verify --machine {} --ranks 2 -- {} small.pgm verified --sigma 5",
                                               here(), program("differential_structure")));
  EXPECT_EQ(small.status, 1) << small.out << small.error;
  EXPECT_THAT(small.out, HasSubstr("not possible  2 ranks --tw-grid=2x1")) << "a tile is smaller than a halo";
  EXPECT_THAT(small.error, HasSubstr("nothing was compared"));
  EXPECT_EQ(tilewright("verify -- true").status, 2);
  EXPECT_EQ(tilewright("verify -- false").status, 2);
}

TEST_F(Command, WhatVerifyForcesIsForced) {
  std::ofstream(folder / "two.pgm") << "P5 16 16 255\n" << std::string(16 * 16, 'x');
  const std::string application = program("differential_structure") + " two.pgm verified --sigma 1";
  for (const std::string option : {"tree=oft", "ranks=1", "grid 1x1", "plan=p.json", "threads=1"}) {
    const Outcome refused = tilewright(fmt::format("verify --ranks 2 -- {} --tw-{}", application, option));
    EXPECT_EQ(refused.status, 2) << option << refused.out;
    EXPECT_THAT(refused.error, HasSubstr("--tw-" + option.substr(0, option.find(' ')))) << option;
  }
  const Outcome inherited =
      run(fmt::format("export TILEWRIGHT_DB=bench.sqlite TILEWRIGHT_RANKS=1 TILEWRIGHT_TREE=oft; {} verify --machine "
                      "{} --ranks 2 --format json -- {}",
                      program("tilewright"), here(), application),
          folder);
  ASSERT_EQ(inherited.status, 0) << inherited.error;
  const json found = json::parse(inherited.out);
  EXPECT_TRUE(found.at("identical"));
  for (const json& way : found.at("runs")) expect_same(way);
}

TEST_F(Command, PlanTellsHowAProgramEndedThatSaysNothing) {
  const Outcome outcome = tilewright("plan -- /bin/false");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.error, "tilewright: /bin/false ended with status 1 in its dry run\n");
  EXPECT_EQ(outcome.out, "");
}

TEST_F(Command, ProgramsGetTheirArgumentsAsTheyAre) {
  const std::string words = "a '[b,c]' '[]' '{}' '' -- --format db '[d]'";
  const Outcome planned = tilewright("plan -- /bin/echo " + words);
  EXPECT_EQ(planned.status, 2) << "it opens no session";
  EXPECT_THAT(planned.error, HasSubstr("a [b,c] [] {}  -- --format db [d]\n"));
  EXPECT_THAT(tilewright("plan /bin/echo a b -- [c]").error, HasSubstr("a b [c]\n"));
  const Outcome list = tilewright("plan /bin/echo [a,b]");
  EXPECT_EQ(list.status, 2);
  EXPECT_THAT(list.error, HasSubstr("'[a,b]': give the program and its arguments after --"));
  EXPECT_EQ(tilewright("db show -- das").status, 0);
  // Only then does the script end well.
  std::ofstream(folder / "named.sh") << "test \"$2\" = '[x,y]' || exit 7\n";
  EXPECT_THAT(tilewright("verify -- sh named.sh 1 '[x,y]'").error, HasSubstr("computed nothing"));
}

TEST_F(Command, PredictsThePapersDecisions) {
  const auto cheapest = [](const json& rows) {
    const json* best = nullptr;
    for (const json& row : rows) {
      if (row.at("feasible") && (best == nullptr || row.at("seconds") < best->at("seconds"))) best = &row;
    }
    return *best;
  };
  const std::string exchange =
      "predict --machine das --operation exchange --image 512x512 --type f32 --ranks 16 --sigma 5 --order 2 --model ";
  EXPECT_EQ(cheapest(tilewright_json(exchange + "p3pc").at("rows")).at("grid"), "2x8");
  EXPECT_EQ(cheapest(tilewright_json(exchange + "loggp-star").at("rows")).at("grid"), "4x4");

  const std::string scatter =
      "predict --machine das --operation scatter --image 256x256 --type f32 --ranks 16 --model ";
  const json best = cheapest(tilewright_json(scatter + "p3pc").at("rows"));
  EXPECT_EQ(best.at("grid"), "1x16");
  EXPECT_EQ(best.at("tree"), "oft");
  std::set<double> oft_seconds;
  const json indifferent = tilewright_json(scatter + "loggp-star");
  for (const json& row : indifferent.at("rows")) {
    if (row.at("tree") == "oft") oft_seconds.insert(row.at("seconds").get<double>());
  }
  EXPECT_EQ(oft_seconds.size(), 1U);
}

TEST_F(Command, PredictMarksInfeasibleGrids) {
  const json prediction =
      tilewright_json("predict --machine das --operation exchange --image 256x256 --type f32 --ranks 32 --border 19");
  const json& rows = prediction.at("rows");
  ASSERT_EQ(rows.size(), 6U);
  const json& narrow = rows.back();
  EXPECT_EQ(narrow.at("grid"), "32x1");
  EXPECT_FALSE(narrow.at("feasible"));
  EXPECT_THAT(narrow.at("reason"), HasSubstr("halo 19"));
  EXPECT_GT(narrow.at("seconds"), 0);
  EXPECT_TRUE(narrow.at("tree").is_null());
}

TEST_F(Command, PlansWithoutWritingAnything) {
  const json plan = tilewright_json(fmt::format("plan --machine {} --format json -- {} {} out --sigma 3", here(),
                                                program("differential_structure"), retina()));
  EXPECT_EQ(plan.at("schema"), "tilewright.plan/1");
  EXPECT_EQ(plan.at("machine"), here());
  EXPECT_EQ(plan.at("model"), "p3pc-stride");
  EXPECT_TRUE(plan.at("proven_optimal"));
  EXPECT_FALSE(plan.at("partial"));
  EXPECT_GT(plan.at("predicted_seconds"), 0);
  EXPECT_LE(plan.at("lower_bound_seconds").get<double>(), plan.at("predicted_seconds").get<double>() * (1 + 1e-9));
  int writes = 0;
  for (const json& step : plan.at("steps")) writes += step.at("kind") == "write" ? 1 : 0;
  EXPECT_EQ(writes, 6);
  EXPECT_FALSE(plan.at("alternatives").empty());
  EXPECT_FALSE(std::filesystem::exists(folder / "out"));
}

TEST_F(Command, TakesOperatorCostsFromAnotherMachineAndSaysSo) {
  const std::string command = fmt::format("-- {} {} out --sigma 3", program("differential_structure"), retina());
  const Outcome without = tilewright("plan --machine das --nodes 16 " + command);
  EXPECT_EQ(without.status, 2);
  EXPECT_THAT(without.error, HasSubstr("--operators-from"));
  const json plan = tilewright_json(
      fmt::format("plan --machine das --nodes 16 --operators-from {} --format json {}", here(), command));
  EXPECT_EQ(plan.at("machine"), "das");
  EXPECT_THAT(plan.at("notes").dump(), HasSubstr(here()));
  EXPECT_LE(plan.at("ranks"), 16);
}

TEST_F(Command, PlansForFilesThatAreNotThereYet) {
  const std::string command = fmt::format("-- {} absent.tif out --sigma 1", program("differential_structure"));
  EXPECT_EQ(tilewright("plan --machine " + here() + " " + command).status, 2);
  const json plan =
      tilewright_json("plan --assume absent.tif=4096x4096:u16 --format json --machine " + here() + " " + command);
  EXPECT_EQ(plan.at("images")[0].at("name").get<std::string>().empty(), false);
}

TEST_F(Command, PlansComeOutAlikeAndCanBeCompared) {
  const std::string command = fmt::format("plan --machine {} --format json -- {} {} out --sigma 3", here(),
                                          program("differential_structure"), retina());
  EXPECT_EQ(tilewright(command).out, tilewright(command).out);
  ASSERT_EQ(
      run(fmt::format("TILEWRIGHT_DB=bench.sqlite {} {} > a.json", program("tilewright"), command), folder).status, 0);
  EXPECT_THAT(tilewright("plan --diff a.json a.json").out, HasSubstr("equal"));
  EXPECT_TRUE(tilewright_json("plan --format json --diff a.json a.json").at("equal").get<bool>());
  const json again = tilewright_json(fmt::format("{} --tw-plan=a.json", command));
  EXPECT_EQ(again, json::parse(std::ifstream(folder / "a.json")));
  EXPECT_EQ(tilewright("plan --format dot --diff a.json a.json").status, 2);
}

TEST_F(Command, UnderMpiexecPlansOnceAndDoesNotVerify) {
  const std::string command = fmt::format("TILEWRIGHT_DB=bench.sqlite {} {}", mpiexec(2), program("tilewright"));
  const std::string program_alone = fmt::format("-- {} {} out --sigma 3", program("differential_structure"), retina());
  const Outcome planned =
      run(fmt::format("{} plan --machine {} --format json {}", command, here(), program_alone), folder);
  EXPECT_EQ(planned.status, 0) << planned.error;
  EXPECT_EQ(json::parse(planned.out).at("schema"), "tilewright.plan/1");
  const Outcome verified = run(fmt::format("{} verify {}", command, program_alone), folder);
  EXPECT_EQ(verified.status, 2);
  EXPECT_THAT(verified.error, HasSubstr("call it without mpiexec"));
}

TEST_F(Command, ADryRunUnderMpiexecIsOne) {
  for (const char* how : {"{0} {1} {2} out --sigma 3 --tw-machine={3} --tw-dry-run=/dev/stdout",
                          "{0} env TILEWRIGHT_DRY_RUN=/dev/stdout {1} {2} out --sigma 3 --tw-machine={3}"}) {
    const std::string command =
        fmt::format(fmt::runtime(how), mpiexec(3), program("differential_structure"), retina(), here());
    const Outcome planned = run(fmt::format("TILEWRIGHT_DB=bench.sqlite {} | cat", command), folder);
    EXPECT_THAT(planned.out, HasSubstr("tilewright.plan/1")) << planned.error;
    EXPECT_EQ(planned.out.find("\"schema\""), planned.out.rfind("\"schema\"")) << planned.out;
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "out"));
}

TEST_F(Command, TellsHowManyNodesPay) {
  const std::string rest =
      fmt::format("--operators-from {} -- {} {} out --sigma 3", here(), program("differential_structure"), retina());
  const json plan = tilewright_json("plan --machine das --nodes 1..40 --format json " + rest);
  const json& curve = plan.at("node_curve");
  EXPECT_EQ(curve.at("first"), 1);
  EXPECT_EQ(curve.at("last"), 40);
  EXPECT_FALSE(curve.at("advice").empty());
  bool recommended = false;
  for (const json& point : curve.at("points")) {
    recommended = recommended || point.at("nodes") == curve.at("recommended");
    EXPECT_GE(point.at("predicted_seconds"), plan.at("predicted_seconds"));
    EXPECT_GT(point.at("node_bytes"), 0);
    EXPECT_GT(point.at("node_hours"), 0);
  }
  EXPECT_TRUE(recommended);
  EXPECT_THAT(tilewright("plan --machine das --nodes 1..40 " + rest).out, HasSubstr("recommended"));
  EXPECT_FALSE(tilewright_json("plan --machine das --nodes 40 --format json " + rest).contains("node_curve"));
}

TEST_F(Command, RendersEveryFormat) {
  for (const std::string format : {"text", "json", "dot", "html", "slurm"}) {
    const Outcome outcome = tilewright(fmt::format("plan --machine {} --format {} -- {} {} out --sigma 3", here(),
                                                   format, program("differential_structure"), retina()));
    EXPECT_EQ(outcome.status, 0) << outcome.error;
    EXPECT_GT(outcome.out.size(), 200U) << format;
  }
}

TEST_F(Command, ExportsAndImportsWithoutLoss) {
  for (const std::string format : {"csv", "json"}) {
    ASSERT_EQ(tilewright(fmt::format("db export {} --format {} -o profile.{}", here(), format, format)).status, 0);
    ASSERT_EQ(tilewright(fmt::format("db import profile.{} --machine twin", format)).status, 0);
    ASSERT_EQ(tilewright(fmt::format("db export twin --format {} -o copy.{}", format, format)).status, 0);
    const Outcome diff =
        run(fmt::format("sed 's/twin/{}/' copy.{} | diff - profile.{}", here(), format, format), folder);
    EXPECT_EQ(diff.status, 0) << diff.out;
    EXPECT_EQ(tilewright("db remove twin").status, 0);
  }
}

TEST_F(Command, AnImportReplacesWhatWasMeasuredOnlyIfTold) {
  const std::string das = fmt::format("db import {}/benchdb/profiles/das.csv --machine twin", TILEWRIGHT_SOURCE_DIR);
  ASSERT_EQ(tilewright(fmt::format("db export {} --format json -o own.json", here())).status, 0);
  ASSERT_EQ(tilewright("db import own.json --machine twin").status, 0);
  EXPECT_EQ(tilewright("db import own.json --machine twin").status, 0) << "the same again loses nothing";
  const Outcome refused = tilewright(das);
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.error, HasSubstr("--replace"));
  EXPECT_THAT(tilewright("db show twin").out, HasSubstr("convolve_separable")) << "the costs that were measured";
  EXPECT_EQ(tilewright(das + " --replace").status, 0);
  EXPECT_THAT(tilewright("db show twin").out, Not(HasSubstr("convolve_separable")));
  EXPECT_EQ(tilewright("db remove twin").status, 0);
}

TEST_F(Command, DoctorFindsThisMachineHealthy) {
  const json report = tilewright_json("doctor --format json");
  EXPECT_TRUE(report.at("healthy")) << report.dump(2);
}

TEST_F(Command, UnderMpiexecIsAnsweredOnce) {
  const std::string command = fmt::format("TILEWRIGHT_DB=bench.sqlite {} {} ", mpiexec(2), program("tilewright"));
  const Outcome doctor = run(command + "doctor --format json", folder);
  EXPECT_EQ(json::parse(doctor.out).at("schema"), "tilewright.doctor/1") << doctor.error;
  const Outcome help = run(command + "calibrate --help", folder);
  EXPECT_EQ(help.status, 0) << help.error;
  const std::size_t usage = help.out.find("Usage:");
  ASSERT_NE(usage, std::string::npos);
  EXPECT_EQ(help.out.find("Usage:", usage + 1), std::string::npos) << help.out;
}

}  // namespace
}  // namespace tilewright::test
