// Which ranks of a grid share a node, and which of the started ranks they are.
#include "tilewright/core/node_mapping.hpp"

#include <gmock/gmock.h>

#include <map>
#include <numeric>
#include <set>

#include "tilewright/core/error.hpp"

namespace tilewright {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(NodeMapping, IsReadAsItIsWritten) {
  for (const std::string text : {"1x8@1", "1x8@2", "4x4@2x2", "4x4@1x4", "1x4[2:1:1:1]@2", "3x2@4", "2x8"}) {
    EXPECT_EQ(to_string(parse_grid(text)), text);
  }
  EXPECT_EQ(to_string(parse_grid_pattern("*x1@2")), "*x1@2");
  EXPECT_EQ(to_string(parse_grid_pattern("*x*@2")), "*x*@2");
}

TEST(NodeMapping, ABlockThatIsTheOrderOfRanksIsToldAsThat) {
  EXPECT_EQ(to_string(parse_grid("4x2@2x1")), "4x2@2") << "neighbours in a row follow each other";
  EXPECT_EQ(to_string(parse_grid("2x4@2x2")), "2x4@4") << "whole rows follow each other";
  EXPECT_EQ(to_string(parse_grid("1x8@1x2")), "1x8@2");
}

TEST(NodeMapping, WhatIsNoneIsRefused) {
  for (const std::string text :
       {"4x4@", "4x4@0", "4x4@2x", "4x4@x2", "4x4@2x0", "4x4@-1", "4x4@2x2x2", "@2", "4x4@*"}) {
    EXPECT_THROW((void)parse_grid(text), ParameterError) << text;
  }
  EXPECT_THAT([] { (void)parse_grid("4x4@3x1"); }, ThrowsMessage<ParameterError>(HasSubstr("do not fill")));
}

TEST(NodeMapping, BlocksTileTheGridAndHaveAsManyRanksEach) {
  for (const std::string text : {"4x4@2x2", "6x4@3x2", "4x4@1x2", "4x4@4", "2x8@4", "3x4@2", "5x3@4"}) {
    const ProcessGrid grid = parse_grid(text);
    std::map<int, std::set<int>> columns, rows;
    std::map<int, int> ranks;
    for (int rank = 0; rank < grid.ranks(); ++rank) {
      const int node = node_of(grid, rank);
      ++ranks[node];
      columns[node].insert(grid.column(rank));
      rows[node].insert(grid.row(rank));
    }
    EXPECT_EQ(static_cast<int>(ranks.size()), nodes_of(grid)) << text;
    for (const auto& [node, count] : ranks) {
      EXPECT_LT(node, nodes_of(grid)) << text;
      EXPECT_LE(count, grid.mapping.ranks) << text;
      if (!grid.mapping.is_in_blocks()) continue;
      EXPECT_EQ(count, grid.mapping.ranks) << text;
      EXPECT_EQ(static_cast<int>(columns[node].size()), grid.mapping.columns) << text;
      EXPECT_EQ(static_cast<int>(columns[node].size() * rows[node].size()), count) << "a block: " << text;
    }
  }
}

TEST(NodeMapping, NumbersTheStartedRanksAnew) {
  const std::vector<int> filled{0, 0, 1, 1, 2, 2, 3, 3};  // node after node
  const std::vector<int> dealt{0, 1, 2, 3, 0, 1, 2, 3};   // one rank for each in turn
  EXPECT_THAT(started_ranks(parse_grid("1x4@1"), filled), ElementsAre(0, 2, 4, 6, 1, 3, 5, 7));
  EXPECT_THAT(started_ranks(parse_grid("1x4@1"), dealt), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  EXPECT_THAT(started_ranks(parse_grid("1x8@2"), dealt), ElementsAre(0, 4, 1, 5, 2, 6, 3, 7));
  EXPECT_THAT(started_ranks(parse_grid("2x4@1x2"), filled), ElementsAre(0, 2, 1, 3, 4, 6, 5, 7));
  EXPECT_THAT(started_ranks(parse_grid("2x1@2"), dealt), ElementsAre(0, 4, 1, 2, 3, 5, 6, 7));
  EXPECT_THAT(started_ranks(parse_grid("1x8"), dealt), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7)) << "as they were started";
}

TEST(NodeMapping, TheRootStaysTheRootAndNobodyIsLost) {
  const std::vector<int> nodes{2, 0, 2, 1, 0, 1, 2, 0, 1};
  for (const std::string text : {"1x3@1", "3x3@3", "3x3@3x1", "3x3@1x3", "2x2@2", "1x1@1", "3x2@3"}) {
    const std::vector<int> order = started_ranks(parse_grid(text), nodes);
    EXPECT_EQ(order.front(), 0) << text;
    EXPECT_EQ(std::set<int>(order.begin(), order.end()).size(), nodes.size()) << text;
    EXPECT_EQ(order.size(), nodes.size()) << text;
  }
}

TEST(NodeMapping, RanksOfAGridsNodeAreOnOneNode) {
  const std::vector<int> nodes{0, 1, 2, 3, 3, 2, 1, 0, 0, 1, 2, 3, 0, 1, 2, 3};
  for (const std::string text : {"4x4@2x2", "4x4@4", "4x4@1x4", "2x8@2x2", "1x4@1", "2x4@1x2"}) {
    const ProcessGrid grid = parse_grid(text);
    const std::vector<int> order = started_ranks(grid, nodes);
    for (int a = 0; a < grid.ranks(); ++a) {
      for (int b = 0; b < a; ++b) {
        const bool together = nodes[static_cast<std::size_t>(order[static_cast<std::size_t>(a)])] ==
                              nodes[static_cast<std::size_t>(order[static_cast<std::size_t>(b)])];
        EXPECT_EQ(together, node_of(grid, a) == node_of(grid, b)) << text << " " << a << " " << b;
      }
    }
  }
}

TEST(NodeMapping, NodesWithTooFewRanksArePassedOverOrTheGridIsRefused) {
  EXPECT_THAT(started_ranks(parse_grid("1x4@2"), {0, 0, 1, 2, 2}), ElementsAre(0, 1, 3, 4, 2)) << "node 1 has one rank";
  EXPECT_THAT(
      [] {
        (void)started_ranks(parse_grid("1x4@2"), {0, 0, 1, 2});
      },
      ThrowsMessage<ParameterError>(HasSubstr("takes 2 nodes with 2 ranks each")));
  EXPECT_THROW((void)started_ranks(parse_grid("1x4@2"), {0, 1, 1, 2, 2}), ParameterError) << "the root has no other";
  EXPECT_THROW((void)started_ranks(parse_grid("1x8@1"), {0, 0, 1, 1}), ParameterError);
}

}  // namespace
}  // namespace tilewright
