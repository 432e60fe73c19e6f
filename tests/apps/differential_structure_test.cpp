// The main job, from an empty database to pictures.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "program_runner.hpp"
#include "tilewright/imgops/gaussian.hpp"

namespace tilewright::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::HasSubstr;

const std::vector<std::string> outputs{"Lx.tif", "Ly.tif", "Lxx.tif", "Lxy.tif", "Lyy.tif", "gradient_magnitude.png"};

class DifferentialStructure : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder = fresh_folder("differential_structure");
    cv::Mat image(203, 307, CV_16U);
    cv::randu(image, 0, 65535);
    cv::imwrite((folder / "in.png").string(), image);
  }
  /// Runs on `ranks` (0: without mpiexec) with the suite's own database.
  static Outcome application(int ranks, const std::string& arguments) {
    return run_program(folder, ranks, "differential_structure", arguments);
  }
  static bool same_outputs(const std::string& a, const std::string& b) {
    for (const std::string& name : outputs) {
      if (run(fmt::format("cmp {}/{} {}/{}", a, name, b, name), folder).status != 0) return false;
    }
    return true;
  }
  static inline fs::path folder;
};

TEST_F(DifferentialStructure, RunsFromAnEmptyDatabaseAndExplainsItself) {
  const Outcome first = application(2, "in.png two --sigma 2 --tw-explain=analyze");
  ASSERT_EQ(first.status, 0) << first.error;
  EXPECT_THAT(first.error, HasSubstr("calibrating"));
  EXPECT_THAT(first.out, HasSubstr("gradient_magnitude.png"));
  const Outcome second =
      application(2, "in.png two --sigma 2 --tw-explain=analyze --tw-explain-format=json --tw-explain-file=trace.json");
  ASSERT_EQ(second.status, 0) << second.error;
  EXPECT_THAT(second.error, ::testing::Not(HasSubstr("calibrating")));
  const json trace = json::parse(std::ifstream(folder / "trace.json"));
  for (const json& step : trace.at("steps")) {
    EXPECT_TRUE(step.at("measured_seconds").is_number());
    EXPECT_TRUE(step.at("predicted_seconds").is_number()) << step.dump();
  }
}

TEST_F(DifferentialStructure, GivesTheSameFilesHoweverItIsRun) {
  const std::vector<std::pair<int, std::string>> ways{{2, "--tw-grid=1x2 --tw-tree=oft"},
                                                      {3, "--tw-ranks=3"},
                                                      {4, "--tw-grid=2x2 --tw-tree=sbt"},
                                                      {4, "--tw-grid=*x1 --tw-ranks=4 --tw-distribution=broadcast"},
                                                      {4, "--tw-threads=2"}};
  // A vector level that rounds products and sums together gives other last bits than one that does not.
  for (const std::string level : {"", " --tw-simd=scalar"}) {
    ASSERT_EQ(application(0, "in.png alone --sigma 2" + level).status, 0);
    for (const auto& [ranks, options] : ways) {
      const Outcome outcome = application(ranks, "in.png way --sigma 2 " + options + level);
      ASSERT_EQ(outcome.status, 0) << options << outcome.error;
      EXPECT_TRUE(same_outputs("alone", "way")) << options << level;
      fs::remove_all(folder / "way");
    }
    fs::remove_all(folder / "alone");
  }
}

TEST_F(DifferentialStructure, HasAThreadForEachCoreThatItMayRunOn) {
  const auto threads = [](const std::string& command) {
    const Outcome outcome = run(fmt::format("TILEWRIGHT_DB=none.sqlite {} {} in.png threads --sigma 2 --tw-explain "
                                            "--tw-explain-format=json --tw-explain-file=threads.json",
                                            command, program("differential_structure")),
                                folder);
    EXPECT_EQ(outcome.status, 0) << outcome.error;
    return json::parse(std::ifstream(folder / "threads.json")).at("threads").get<int>();
  };
  EXPECT_EQ(threads("taskset -c 0"), 1);
  EXPECT_LE(threads(""), std::stoi(run("nproc", folder).out));
}

TEST_F(DifferentialStructure, GivesTheSameFilesWhoeverReadsAndWritesThem) {
  const cv::Mat in = cv::imread((folder / "in.png").string(), cv::IMREAD_UNCHANGED);
  constexpr int not_compressed = 1;
  cv::imwrite((folder / "plain.tif").string(), in, {cv::IMWRITE_TIFF_COMPRESSION, not_compressed});
  cv::imwrite((folder / "compressed.tif").string(), in);
  ASSERT_EQ(application(0, "plain.tif alone --sigma 2").status, 0);
  for (const std::string file : {"plain.tif", "compressed.tif"}) {
    for (const std::string files : {"parallel", "root", "auto"}) {
      const Outcome outcome = application(
          3, file + " way --sigma 2 --tw-ranks=3 --tw-explain --tw-explain-format=json --tw-files=" + files);
      ASSERT_EQ(outcome.status, 0) << outcome.error;
      EXPECT_TRUE(same_outputs("alone", "way")) << file << " " << files;
      int in_parts = 0;
      const json plan = json::parse(outcome.out);
      for (const json& step : plan.at("steps")) {
        in_parts += step.at("site") == "tiles" && (step.at("kind") == "read" || step.at("kind") == "write");
      }
      const int possible = file == "plain.tif" ? 6 : 5;  // the input, and five of the outputs
      if (files != "auto") {
        EXPECT_EQ(in_parts, files == "parallel" ? possible : 0) << outcome.out;
      }
      EXPECT_EQ(std::distance(fs::directory_iterator(folder / "way"), {}), std::ssize(outputs)) << "hidden files stay";
      if (file == "compressed.tif") {
        EXPECT_THAT(outcome.out, HasSubstr("it is compressed"));
      }
      fs::remove_all(folder / "way");
    }
  }
  fs::remove_all(folder / "alone");
}

TEST_F(DifferentialStructure, AgreesWithOpenCv) {
  ASSERT_EQ(application(2, "in.png cv --sigma 2").status, 0);
  const cv::Mat in = cv::imread((folder / "in.png").string(), cv::IMREAD_UNCHANGED);
  const auto compare = [&](const std::string& name, int order_x, int order_y) {
    const cv::Mat result = cv::imread((folder / "cv" / name).string(), cv::IMREAD_UNCHANGED);
    ASSERT_EQ(result.type(), CV_32F) << name;
    cv::Mat expected;
    cv::sepFilter2D(in, expected, CV_32F, gaussian_kernel(2, order_x), gaussian_kernel(2, order_y), {-1, -1}, 0,
                    cv::BORDER_REFLECT_101);
    EXPECT_LE(cv::norm(result, expected, cv::NORM_INF), 1e-5 * 65535) << name;
  };
  compare("Lx.tif", 1, 0);
  compare("Ly.tif", 0, 1);
  compare("Lxx.tif", 2, 0);
  compare("Lxy.tif", 1, 1);
  compare("Lyy.tif", 0, 2);
}

TEST_F(DifferentialStructure, RunsAStoredPlanAndRefusesAnothersPlan) {
  ASSERT_EQ(
      application(2, "in.png out --sigma 2 --tw-explain --tw-explain-format=json --tw-explain-file=plan.json").status,
      0);
  EXPECT_EQ(application(2, "in.png out --sigma 2 --tw-plan=plan.json").status, 0);
  const Outcome other = application(2, "in.png out --sigma 3 --tw-plan=plan.json");
  EXPECT_EQ(other.status, 2);
  EXPECT_THAT(other.error, HasSubstr("another pipeline"));
}

TEST_F(DifferentialStructure, ResumesWhatAnEarlierRunLeftOpen) {
  ASSERT_EQ(application(2, "in.png resumed --sigma 2 --tw-resume").status, 0);
  fs::remove(folder / "resumed" / "Lxy.tif");
  const fs::file_time_type before = fs::last_write_time(folder / "resumed" / "Lx.tif");
  const Outcome again = application(2, "in.png resumed --sigma 2 --tw-resume");
  ASSERT_EQ(again.status, 0) << again.error;
  EXPECT_THAT(again.error, HasSubstr("5 of 6 outputs are complete already"));
  EXPECT_EQ(fs::last_write_time(folder / "resumed" / "Lx.tif"), before);
  EXPECT_TRUE(fs::exists(folder / "resumed" / "Lxy.tif"));
  // Another scale is another pipeline.
  EXPECT_THAT(application(2, "in.png resumed --sigma 1 --tw-resume").error,
              ::testing::Not(HasSubstr("complete already")));
}

}  // namespace
}  // namespace tilewright::test
