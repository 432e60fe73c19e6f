// What the proving ground races: not too many cases, and of every stratum some.
#include "regret/cases.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <sstream>

namespace tilewright::regret {
namespace {

TEST(RankCounts, AreAllUpToEightAndTheNeighboursOfTheChosenOne) {
  using Counts = std::vector<int>;
  EXPECT_EQ(rank_counts(8, 1).whole, (Counts{1, 2, 4, 8}));
  EXPECT_EQ(rank_counts(8, 1).further, (Counts{3, 5, 6, 7}));
  EXPECT_EQ(rank_counts(7, 6).whole, (Counts{1, 2, 4, 6, 7}));
  EXPECT_EQ(rank_counts(7, 6).further, (Counts{3, 5}));
  EXPECT_EQ(rank_counts(16, 12).whole, (Counts{1, 2, 4, 8, 12, 16}));
  EXPECT_EQ(rank_counts(16, 12).further, (Counts{3, 5, 6, 7, 11, 13}));
  EXPECT_EQ(rank_counts(16, 16).further, (Counts{3, 5, 6, 7, 15}));
  EXPECT_EQ(rank_counts(2, 1).further, Counts{});
  EXPECT_EQ(rank_counts(1, 1).whole, Counts{1});
}

struct CaseOnGround {
  Ground ground;
  Case contested;
};

/// "100mbit:30,10:8", as run.sh has it.
Ground ground_of(const std::string& text) {
  std::istringstream parts(text);
  Ground ground;
  std::getline(parts, ground.network, ':');
  std::getline(parts, ground.shares, ':');
  if (ground.network == "shared") ground.network = "shared memory";
  return ground;
}

/// The cases of the grounds that run.sh races by default.
std::vector<CaseOnGround> all_cases() {
  std::ifstream script(std::filesystem::path(TILEWRIGHT_SOURCE_DIR) / "tests/regret/run.sh");
  std::vector<CaseOnGround> cases;
  for (std::string line; std::getline(script, line);) {
    if (!line.starts_with("DEFAULT=(")) continue;
    std::istringstream grounds(line.substr(line.find('(') + 1, line.find(')') - line.find('(') - 1));
    for (std::string text; grounds >> text;) {
      const Ground ground = ground_of(text);
      for (const Case& contested : cases_of(ground, false)) cases.push_back({ground, contested});
    }
  }
  return cases;
}

bool some(const std::function<bool(const Ground&, const Case&)>& is_wanted) {
  const std::vector<CaseOnGround> cases = all_cases();
  return std::any_of(cases.begin(), cases.end(),
                     [&](const CaseOnGround& one) { return is_wanted(one.ground, one.contested); });
}

TEST(Cases, AreSixtyAtMostAndAllDifferent) {
  const std::vector<CaseOnGround> cases = all_cases();
  EXPECT_LE(cases.size(), 60U);
  std::set<std::string> names;
  for (const CaseOnGround& one : cases) names.insert(case_id(one.ground, one.contested));
  EXPECT_EQ(names.size(), cases.size());
}

TEST(Cases, HaveAllPipelines) {
  for (const Kind kind : {Kind::one_derivative, Kind::five_derivatives, Kind::gradient_threshold, Kind::chain,
                          Kind::bank, Kind::iterations, Kind::small_chain, Kind::wide_and_tall, Kind::template_bank,
                          Kind::template_search, Kind::derivatives_of_templates, Kind::stack}) {
    EXPECT_TRUE(some([&](const Ground&, const Case& one) { return one.pipeline.kind == kind; })) << to_string(kind);
  }
  EXPECT_TRUE(some([](const Ground&, const Case& one) {
    return one.pipeline.kind == Kind::bank && one.pipeline.angles == 36 && one.pipeline.sigmas.size() == 1;
  })) << "36 oriented second derivatives";
  EXPECT_TRUE(some([](const Ground&, const Case& one) {
    return one.pipeline.kind == Kind::iterations && one.pipeline.passes == 20;
  })) << "twenty iterations";
  EXPECT_TRUE(some([](const Ground&, const Case& one) { return one.node_memory > 0; })) << "more than a node holds";
}

TEST(Cases, HaveSmallLargeAndElongatedImages) {
  for (const Extent& image : {Extent{256, 256}, Extent{2048, 2048}, Extent{2048, 512}}) {
    EXPECT_TRUE(some([&](const Ground&, const Case& one) { return one.image == image; })) << image.width;
  }
}

TEST(Cases, HaveAllNetworksSpeedsAndNumbersOfRanks) {
  for (const char* const network : {"100mbit", "1gbit"}) {
    for (const char* const share : {"2", "20"}) {
      EXPECT_TRUE(some([&](const Ground& g, const Case&) { return g.network == network && g.shares == share; }))
          << network << ' ' << share;
    }
  }
  EXPECT_TRUE(
      some([](const Ground& g, const Case& one) { return g.network == "shared memory" && one.max_ranks == 2; }));
  EXPECT_TRUE(some([](const Ground& g, const Case&) { return g.is_unequal(); }));
  for (int ranks = 2; ranks <= 8; ++ranks) {
    EXPECT_TRUE(some([&](const Ground&, const Case& one) { return one.max_ranks == ranks; })) << ranks;
  }
  EXPECT_TRUE(some([](const Ground& g, const Case& one) { return g.network == "100mbit" && one.max_ranks == 16; }));
}

}  // namespace
}  // namespace tilewright::regret
