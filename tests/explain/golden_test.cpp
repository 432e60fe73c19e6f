// Every renderer against a file in tests/explain/golden. After a wanted change, write the files anew with
//   TILEWRIGHT_WRITE_GOLDEN=1 build/bin/explain_test --gtest_filter='*Golden*'
// and look at the difference before you commit it.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <ostream>

#include "sample_plans.hpp"
#include "tilewright/explain/render.hpp"

namespace tilewright {
namespace {

struct GoldenCase {
  std::string name;
  std::vector<Plan> segments;
};

struct GoldenFormat {
  PlanFormat format;
  std::string extension;
};

// How the framework names them.
void PrintTo(const GoldenCase& which, std::ostream* out) {
  *out << which.name;
}
void PrintTo(const GoldenFormat& how, std::ostream* out) {
  *out << how.extension;
}

std::vector<GoldenCase> golden_cases() {
  return {{"planned", {test::eight_ranks()}},
          {"measured", {test::measured(test::eight_ranks())}},
          {"unknown", {test::one_rank()}},
          {"nodes", {test::with_curve(test::eight_ranks())}},
          {"tied", {test::tied(test::eight_ranks())}},
          {"program", {test::one_rank(), test::eight_ranks()}}};
}

class Golden : public testing::TestWithParam<std::tuple<GoldenCase, GoldenFormat>> {};

TEST_P(Golden, IsAsItWas) {
  const auto& [which, how] = GetParam();
  const auto path = std::filesystem::path(TILEWRIGHT_SOURCE_DIR) / "tests" / "explain" / "golden" /
                    (which.name + "." + how.extension);
  const BatchJob job{.command = "./app 'in put.tif' out"};
  const std::string text = render(which.segments, how.format, job);
  if (std::getenv("TILEWRIGHT_WRITE_GOLDEN") != nullptr) std::ofstream(path, std::ios::binary) << text;
  std::ifstream file(path, std::ios::binary);
  ASSERT_TRUE(file) << path << " is missing";
  EXPECT_EQ(text, std::string(std::istreambuf_iterator<char>(file), {}));
}

INSTANTIATE_TEST_SUITE_P(
    All, Golden,
    testing::Combine(testing::ValuesIn(golden_cases()),
                     testing::Values(GoldenFormat{PlanFormat::text, "txt"}, GoldenFormat{PlanFormat::json, "json"},
                                     GoldenFormat{PlanFormat::dot, "dot"}, GoldenFormat{PlanFormat::html, "html"},
                                     GoldenFormat{PlanFormat::slurm, "sh"})),
    [](const auto& test) { return std::get<0>(test.param).name + "_" + std::get<1>(test.param).extension; });

}  // namespace
}  // namespace tilewright
