// Wrong input gets a clear error and the right status; nothing is lost, and nothing hangs.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <opencv2/imgcodecs.hpp>

#include "program_runner.hpp"

namespace tilewright::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class WrongInput : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder = fresh_folder("wrong_input");
    const cv::Mat image(64, 64, CV_8U, cv::Scalar(7));
    cv::imwrite((folder / "in.png").string(), image);
    cv::imwrite((folder / "in.tif").string(), image);
    std::ofstream(folder / "text.png") << "this is no picture\n";
    std::ofstream(folder / "empty.png");
    fs::copy(folder / "in.tif", folder / "cut.tif");
    fs::resize_file(folder / "cut.tif", fs::file_size(folder / "cut.tif") / 3);
    fs::copy(folder / "in.png", folder / "cut.png");
    fs::resize_file(folder / "cut.png", fs::file_size(folder / "cut.png") - 20);
    std::vector<cv::Mat> pages{image, image};
    cv::imwritemulti((folder / "pages.tif").string(), pages);
    ASSERT_EQ(copy_calibrated_into(folder / "bench.sqlite").status, 0);
  }

  /// The application, alone and on two ranks: both must end with `status`, with one message that holds `words`.
  static void expect(const std::string& arguments, int status, const std::string& words) {
    for (const int ranks : {0, 2}) {
      const Outcome outcome = run_program(folder, ranks, "differential_structure", arguments);
      EXPECT_EQ(outcome.status, status) << arguments << "\n" << outcome.error;
      EXPECT_THAT(outcome.error, HasSubstr(words)) << arguments;
      const std::string mark = "tilewright: error";
      const std::size_t first = outcome.error.find(mark);
      EXPECT_NE(first, std::string::npos);
      EXPECT_EQ(outcome.error.find(mark, first + 1), std::string::npos) << "told twice:\n" << outcome.error;
    }
  }
  static Outcome tilewright(const std::string& arguments) {
    return run(program("tilewright") + " " + arguments, folder);
  }

  static inline fs::path folder;
};

TEST_F(WrongInput, Images) {
  expect("absent.png out --sigma 1", 2, "absent.png");
  expect("text.png out --sigma 1", 2, "text.png");
  expect("empty.png out --sigma 1", 2, "empty.png");
  expect("pages.tif out --sigma 1", 2, "page");
  expect(". out --sigma 1", 2, ".");
  expect("cut.png out --sigma 1", 1, "cut.png");
}

TEST_F(WrongInput, TruncatedTiff) {
  const Outcome outcome = run(program("differential_structure") + " cut.tif out --sigma 1", folder);
  EXPECT_TRUE(outcome.status == 1 || outcome.status == 2) << outcome.status;
  EXPECT_THAT(outcome.error, HasSubstr("cut.tif"));
}

TEST_F(WrongInput, OutputsIntoOneFileThroughALink) {
  const fs::path out = folder / "linked";
  fs::create_directory(out);
  for (const std::string held : {"before", "absent"}) {
    fs::remove(out / "Ly.tif");
    if (held == "before") std::ofstream(out / "Lx.tif") << held;
    fs::create_symlink("Lx.tif", out / "Ly.tif");
    expect("in.png linked --sigma 1", 2, "two images are to be written into linked/Ly.tif");
    EXPECT_EQ(fs::exists(out / "Lx.tif"), held == "before");
    fs::remove(out / "Lx.tif");
  }
}

TEST_F(WrongInput, Parameters) {
  expect("in.png out --sigma -3", 2, "sigma=-3");
  expect("in.png out --sigma 0", 2, "sigma=0");
  expect("in.png out --sigma nan", 2, "sigma");
  expect("in.png out --sigma abc", 2, "abc");
  expect("in.png out", 2, "--sigma");
  expect("in.png out --sigma 1 --border round", 2, "round");
  expect("in.png out --sigma 1 --tw-grid=4", 2, "'4'");
  expect("in.png out --sigma 1 --tw-nonsense", 2, "--tw-nonsense");
  expect("in.png out --sigma 1 --tw-model=guess", 2, "guess");
  expect("in.png out --sigma 1 --tw-packing=tight", 2, "tight");
  expect("in.png out --sigma 1 --tw-machine=nowhere", 2, "nowhere");
  expect("in.png out --sigma 1 --tw-plan=absent.json", 2, "absent.json");
}

TEST_F(WrongInput, WhatIsForcedWithoutAProfile) {
  const std::string application =
      program("differential_structure") + " in.png alone --sigma 1 --tw-db=none.sqlite --tw-";
  for (const std::string option : {"model=guess", "model=p3pc", "operators-from=das", "turns=on", "memory=1KiB"}) {
    const Outcome outcome = run(application + option, folder);
    EXPECT_EQ(outcome.status, 2) << option;
    EXPECT_THAT(outcome.error, HasSubstr("--tw-" + option.substr(0, option.find('=')))) << option;
  }
  EXPECT_EQ(run(application + "tree=sbt", folder).status, 0) << "there are no transfers";
}

TEST_F(WrongInput, ForcedGridsThatDoNotFit) {
  const Outcome narrow = run_program(folder, 2, "differential_structure", "in.png out --sigma 9 --tw-grid=2x1");
  EXPECT_EQ(narrow.status, 2);
  EXPECT_THAT(narrow.error, HasSubstr("halo"));
  const Outcome large = run_program(folder, 2, "differential_structure", "in.png out --sigma 1 --tw-grid=4x4");
  EXPECT_EQ(large.status, 2);
  EXPECT_THAT(large.error, HasSubstr("16 ranks"));
  EXPECT_FALSE(fs::exists(folder / "out" / "Lx.tif"));
}

TEST_F(WrongInput, OutputFoldersThatCannotBeWritten) {
  std::ofstream(folder / "file") << "in the way";
  expect("in.png file --sigma 1", 1, "file");
  expect("in.png /proc/nowhere --sigma 1", 1, "/proc/nowhere");
}

TEST_F(WrongInput, APlanThatCannotBeToldIsFoundOutBeforeTheWork) {
  expect("in.png untold --sigma 1 --tw-explain-file=absent/plan.json", 1, "absent/plan.json");
  EXPECT_FALSE(fs::exists(folder / "untold"));
}

TEST_F(WrongInput, NoHalfWrittenOutputStays) {
  expect("cut.png partial --sigma 1", 1, "cut.png");
  EXPECT_TRUE(!fs::exists(folder / "partial") || fs::is_empty(folder / "partial"));
}

TEST_F(WrongInput, Databases) {
  std::ofstream(folder / "damaged.sqlite") << std::string(5000, 'x');
  EXPECT_EQ(
      run("cp bench.sqlite broken.sqlite && dd if=/dev/urandom of=broken.sqlite bs=1 seek=100 count=4000 conv=notrunc",
          folder)
          .status,
      0);
  for (const std::string& name : std::vector<std::string>{"damaged.sqlite", "broken.sqlite"}) {
    const Outcome outcome = tilewright("db list --db " + name);
    EXPECT_EQ(outcome.status, 1) << name << outcome.out;
    EXPECT_THAT(outcome.error, HasSubstr(name));
    expect("in.png out --sigma 1 --tw-db=" + name, 1, name);
  }
  EXPECT_THAT(tilewright("predict --db bench.sqlite --machine nowhere --operation scatter --image 8x8 --ranks 2").error,
              HasSubstr("nowhere"));
  EXPECT_EQ(tilewright("predict --db bench.sqlite --machine nowhere --operation scatter --image 8x8 --ranks 2").status,
            2);
}

TEST_F(WrongInput, UsageOfTheCommand) {
  EXPECT_EQ(tilewright("").status, 2);
  EXPECT_EQ(tilewright("nonsense").status, 2);
  EXPECT_EQ(tilewright("predict").status, 2);
  EXPECT_EQ(tilewright("--help").status, 0);
  EXPECT_EQ(tilewright("plan --db bench.sqlite -- ./absent_program").status, 2);
  EXPECT_EQ(tilewright("plan --db bench.sqlite -- true").status, 2);
  EXPECT_EQ(tilewright("db import absent.csv --machine m --db bench.sqlite").status, 2);
}

/// Each of these took for ever, or overflowed.
TEST_F(WrongInput, MoreRanksAndPixelsThanAnybodyHas) {
  const std::string das = fmt::format("{}/benchdb/profiles/das.csv", TILEWRIGHT_SOURCE_DIR);
  ASSERT_EQ(tilewright(fmt::format("db import {} --machine das --db many.sqlite", das)).status, 0);
  const auto expect_told = [&](const std::string& arguments, const std::string& told) {
    const Outcome outcome = tilewright(arguments);
    EXPECT_EQ(outcome.status, 2) << arguments;
    EXPECT_THAT(outcome.error, HasSubstr(told)) << arguments;
  };
  const std::string predict = "predict --db many.sqlite --machine das --operation ";
  expect_told(predict + "scatter --image 512x512 --ranks 2147483647", "16384 at most");
  expect_told(predict + "scatter --image 999999999999x999999999999 --ranks 4", "999999999999x999999999999");
  expect_told(predict + "exchange --image 512x512 --ranks 4 --border 2000000000000", "2000000000000");
  const std::string application = " -- " + program("differential_structure") + " in.png out --sigma 1";
  const std::string plan = "plan --db bench.sqlite ";
  expect_told(plan + "--nodes 65536" + application, "16384 ranks at most");
  expect_told(plan + "--nodes 1..2147483647" + application, "16384 ranks at most");
  expect_told(plan + application + " --tw-ranks=2000000000", "16384 at most");
  for (const std::string grid : {"100000x100000", "1000x1000", "65536x1", "2x99999"}) {
    expect_told(plan + application + " --tw-grid=" + grid, "16384 ranks");
  }
}

TEST_F(WrongInput, RanksThatAllBelieveToBeRankZero) {
  fs::remove_all(folder / "out");
  const std::string application = program("differential_structure") + " in.png out --sigma 1";
  // Another MPI's launcher; and Hydra, whose ranks do not find it.
  for (const std::string& command : {"OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_RANK=1 " + application,
                                     mpiexec(3) + " env -u PMI_FD -u PMI_RANK -u PMI_SIZE -u PMI_PORT " + application,
                                     mpiexec(3) + " env -i " + application}) {
    const Outcome outcome = run(command, folder);
    EXPECT_NE(outcome.status, 0) << command;
    EXPECT_THAT(outcome.error, HasSubstr("mpiexec of MPICH")) << command;
    EXPECT_FALSE(fs::exists(folder / "out"));
  }
}

TEST_F(WrongInput, ARankThatDiesEndsTheRun) {
  // One rank leaves at once; the others must not wait for it.
  const Outcome outcome = run(fmt::format("TILEWRIGHT_START_LIMIT=5 {} sh -c 'if [ \"$PMI_RANK\" = 1 ]; then exit 3; "
                                          "fi; exec {} in.png out --sigma 1 --tw-db=bench.sqlite'",
                                          mpiexec(2), program("differential_structure")),
                              folder);
  EXPECT_NE(outcome.status, 0);
  EXPECT_NE(outcome.status, 124) << "it hung";
  EXPECT_THAT(outcome.error, HasSubstr("other ranks"));
}

}  // namespace
}  // namespace tilewright::test
