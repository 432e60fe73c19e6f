// Messages within nodes, and those that share a node's link.
#include "../../src/transfers/node_forms.hpp"

#include <gtest/gtest.h>

#include <map>
#include <utility>

#include "tilewright/core/node_mapping.hpp"

namespace tilewright {
namespace {

const ImageShape image{{64, 64}, {PixelType::f32, 1}};

Schedule exchange_on(const std::string& grid) {
  return make_schedule({TransferKind::exchange, {}, parse_grid(grid), image, {2, 2}, {2, 2}});
}

/// The most messages that share a link, by round; 0: all stay within nodes.
std::vector<int> on_links(const Schedule& schedule) {
  std::vector<int> most;
  for (const Round& round : schedule.rounds) {
    most.push_back(0);
    for (const MessageForm& form : forms_on_nodes(schedule, round)) {
      if (!form.within_node) most.back() = std::max(most.back(), form.on_link);
    }
  }
  return most;
}

TEST(FormsOnNodes, OfNoMappingPassBetweenNodesAlone) {
  EXPECT_EQ(on_links(exchange_on("4x4")), (std::vector{1, 1, 1, 1}));
}

TEST(FormsOnNodes, BlocksHaveFewerMessagesOnTheirLinksThanRows) {
  EXPECT_EQ(on_links(exchange_on("4x4@4")), (std::vector{0, 0, 4, 4})) << "a row of the grid on each node";
  EXPECT_EQ(on_links(exchange_on("4x4@1x4")), (std::vector{4, 4, 0, 0})) << "a column";
  EXPECT_EQ(on_links(exchange_on("4x4@2x2")), (std::vector{2, 2, 2, 2}));
  EXPECT_EQ(on_links(exchange_on("4x4@1")), (std::vector{1, 1, 1, 1}));
  EXPECT_EQ(on_links(exchange_on("4x4@16")), (std::vector{0, 0, 0, 0})) << "one node";
  EXPECT_EQ(on_links(exchange_on("1x8@2")), (std::vector{1, 1}));
}

TEST(FormsOnNodes, CountWhatLeavesAndWhatComes) {
  for (const std::string text : {"4x4@2x2", "4x4@4", "3x4@2", "5x3@4", "8x2@2x2"}) {
    const Schedule schedule = exchange_on(text);
    const ProcessGrid& grid = schedule.spec.grid;
    for (const Round& round : schedule.rounds) {
      std::map<int, int> leaving, coming;
      for (const Message& message : round) {
        if (node_of(grid, message.sender) == node_of(grid, message.receiver)) continue;
        ++leaving[node_of(grid, message.sender)];
        ++coming[node_of(grid, message.receiver)];
      }
      const std::vector<MessageForm> forms = forms_on_nodes(schedule, round);
      for (std::size_t i = 0; i < round.size(); ++i) {
        const int from = node_of(grid, round[i].sender);
        const int to = node_of(grid, round[i].receiver);
        EXPECT_EQ(forms[i].within_node, from == to) << text;
        EXPECT_EQ(forms[i].on_link, from == to ? 1 : std::max(leaving[from], coming[to])) << text;
      }
    }
  }
}

}  // namespace
}  // namespace tilewright
