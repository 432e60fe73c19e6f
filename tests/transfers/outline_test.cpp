// Outlines against the schedules that they stand for.
#include "tilewright/transfers/outline.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "../../src/transfers/node_forms.hpp"
#include "tilewright/core/error.hpp"
#include "tilewright/core/node_mapping.hpp"

namespace tilewright {
namespace {

constexpr int root = 0;

std::vector<TransferSpec> some_specs() {
  std::vector<TransferSpec> specs;
  const std::vector<ProcessGrid> uneven{{1, 4, {}, {1, 4, 4, 1}}, {3, 1, {2, 1, 2}, {}}, {3, 2, {1, 3, 2}, {4, 3}}};
  std::vector<ProcessGrid> grids{{1, 1}, {1, 2}, {2, 1}, {3, 1}, {1, 7}, {4, 4}, {5, 3}, {8, 2}};
  grids.insert(grids.end(), uneven.begin(), uneven.end());
  for (const char* text : {"1x7@2", "4x4@2x2", "4x4@4", "4x4@1x4", "5x3@4", "8x2@2x2", "8x2@1", "2x3@8", "1x20@2",
                           "20x1@2", "16x4@2x2", "3x17@3", "3x17@6", "12x3@4", "2x4[3:2,1:1:2:1]@2"}) {
    grids.push_back(parse_grid(text));
  }
  for (const ProcessGrid& grid : grids) {
    for (const Extent extent : {Extent{64, 48}, {61, 53}, {33, 49}, {1024, 20}}) {  // the last: gaps between rows
      for (const Halo halo : {Halo{0, 0}, {2, 2}, {0, 3}, {20, 20}}) {
        const ImageShape image{extent, {PixelType::f32, 1}};
        for (const TransferKind kind : {TransferKind::scatter, TransferKind::gather, TransferKind::broadcast}) {
          for (const Algorithm algorithm : all_trees) specs.push_back({kind, algorithm, grid, image, halo, halo});
        }
        specs.push_back({TransferKind::allgather, {}, grid, image, halo});
        for (const bool cyclic : {false, true}) {
          specs.push_back({TransferKind::exchange, {}, grid, image, halo, halo, cyclic});
        }
      }
    }
  }
  return specs;
}

auto order_of(const MessageForm& form) {
  return std::tuple(form.layout, form.bytes, form.block_bytes, form.sender_stride, form.receiver_stride, form.packing,
                    form.within_node, form.on_link);
}
using Form = decltype(order_of(MessageForm{}));

/// Wherever the message goes.
Form without_nodes(MessageForm form) {
  form.within_node = false;
  form.on_link = 1;
  return order_of(form);
}

bool is_shift(const Round& round) {
  return std::any_of(round.begin(), round.end(), [&](const Message& a) {
    return std::any_of(round.begin(), round.end(), [&](const Message& b) { return a.sender == b.receiver; });
  });
}

/// Of a tree on nodes: whether the root's messages stay within its node, and that no more are taken to share its link
/// than do.
void expect_links_of_root(const TransferOutline& outline, const Schedule& schedule) {
  const bool is_gather = schedule.spec.kind == TransferKind::gather;
  for (std::size_t i = 0; i < schedule.rounds.size(); ++i) {
    const Round& round = schedule.rounds[i];
    const std::vector<MessageForm> forms = forms_on_nodes(schedule, round);
    const MessageForm& told = outline.of_root[is_gather ? schedule.rounds.size() - 1 - i : i].form;
    for (std::size_t m = 0; m < round.size(); ++m) {
      if (round[m].sender != root && round[m].receiver != root) continue;
      EXPECT_EQ(told.within_node, forms[m].within_node) << to_string(schedule.spec.grid) << " round " << i;
      EXPECT_LE(told.on_link, forms[m].on_link) << to_string(schedule.spec.grid) << " round " << i;
    }
  }
}

TEST(Outline, HasTheMessagesOfTheRoot) {
  for (const TransferSpec& spec : some_specs()) {
    if (!spec.algorithm) continue;
    const Schedule schedule = make_schedule(spec);
    std::multiset<Form> of_schedule;
    MessageForm last;
    std::int64_t within = 0;
    for (const Round& round : schedule.rounds) {
      for (const Message& message : round) {
        const bool is_of_root = message.sender == root || message.receiver == root;
        if (is_of_root) of_schedule.insert(without_nodes(schedule.form(message)));
        last = schedule.form(message);
      }
      for (const MessageForm& form : forms_on_nodes(schedule, round)) within += form.within_node ? 1 : 0;
    }
    EXPECT_EQ(root_messages(spec), std::ssize(of_schedule)) << to_string(spec.grid);
    const TransferOutline outline = make_outline(spec);
    std::multiset<Form> of_outline;
    for (const AlikeMessages& alike : outline.of_root) {
      for (std::int64_t i = 0; i < alike.count; ++i) of_outline.insert(without_nodes(alike.form));
    }
    ASSERT_EQ(of_outline, of_schedule) << describe(schedule);
    if (spec.algorithm == Algorithm::oft && !of_outline.empty()) {
      EXPECT_EQ(outline.of_root.back().form, last);
      EXPECT_EQ(outline.within_root_node, within) << to_string(spec.grid);
    }
    if (spec.algorithm == Algorithm::sbt && spec.grid.mapping.is_given()) expect_links_of_root(outline, schedule);
    EXPECT_LE(least_copied_bytes(spec), schedule.copied_bytes());
    const bool has_halo_along = spec.kind == TransferKind::scatter && !spec.exchanged.empty();
    if (!has_halo_along && spec.grid.is_even()) {
      EXPECT_EQ(least_copied_bytes(spec), schedule.copied_bytes());
    }
  }
}

TEST(Outline, ASketchHasSomeOfTheRootsMessages) {
  bool is_shorter = false;
  for (const TransferSpec& spec : some_specs()) {
    if (spec.kind != TransferKind::scatter && spec.kind != TransferKind::gather) continue;
    const TransferOutline whole = make_outline(spec);
    const TransferOutline sketch = make_sketch(spec);
    EXPECT_TRUE(whole.is_whole);
    EXPECT_FALSE(sketch.is_whole);
    EXPECT_EQ(sketch.within_root_node, whole.within_root_node);
    is_shorter = is_shorter || sketch.of_root.size() < whole.of_root.size();
    std::vector<AlikeMessages> left = whole.of_root;
    for (const AlikeMessages& alike : sketch.of_root) {
      const auto known = std::find(left.begin(), left.end(), alike);
      ASSERT_NE(known, left.end()) << to_string(spec.grid) << " " << to_string(spec.kind);
      left.erase(known);
    }
  }
  EXPECT_TRUE(is_shorter);
}

TEST(Outline, HasAMessageOfEachRound) {
  for (const TransferSpec& spec : some_specs()) {
    if (spec.kind != TransferKind::exchange) continue;
    const Schedule schedule = make_schedule(spec);
    const TransferOutline outline = make_outline(spec);
    ASSERT_EQ(outline.rounds.size(), schedule.rounds.size());
    for (std::size_t i = 0; i < schedule.rounds.size(); ++i) {
      const Round& round = schedule.rounds[i];
      const std::vector<MessageForm> forms = forms_on_nodes(schedule, round);
      const bool are_blocks = !spec.grid.mapping.is_given() || block_on_node(spec.grid);
      if (!are_blocks) continue;
      EXPECT_NE(std::find(forms.begin(), forms.end(), outline.rounds[i].form), forms.end())
          << to_string(spec.grid) << "\n"
          << describe(schedule);
      const bool all_within =
          std::all_of(forms.begin(), forms.end(), [](const auto& form) { return form.within_node; });
      EXPECT_EQ(outline.rounds[i].form.within_node, all_within) << to_string(spec.grid);
      EXPECT_EQ(outline.rounds[i].shift, is_shift(round)) << describe(schedule);
    }
  }
}

TEST(Outline, HasTheHopsOfTheLargestTileInAnAllgather) {
  for (const TransferSpec& spec : some_specs()) {
    if (spec.kind != TransferKind::allgather) continue;
    const Schedule schedule = make_schedule(spec);
    const TransferOutline outline = make_outline(spec);
    std::int64_t hops = 0;
    for (const RoundOutline& alike : outline.rounds) hops += alike.count;
    ASSERT_EQ(hops, std::ssize(schedule.rounds)) << to_string(spec.grid);
    std::int64_t within = 0;
    for (const Round& round : schedule.rounds) {
      const MessageForm& told = outline.rounds.front().form;
      bool is_sent = false;
      bool is_within = false;
      for (const MessageForm& form : forms_on_nodes(schedule, round)) {
        const bool is_largest = without_nodes(form) == without_nodes(told);
        is_sent = is_sent || is_largest;
        is_within = is_within || (is_largest && form.within_node);
      }
      EXPECT_TRUE(is_sent) << to_string(spec.grid);
      within += is_within ? 1 : 0;
      EXPECT_EQ(outline.rounds.front().shift, is_shift(round)) << describe(schedule);
    }
    EXPECT_GE(outline.within_root_node, within) << to_string(spec.grid);
    EXPECT_LE(least_copied_bytes(spec), schedule.copied_bytes());
  }
}

TEST(Outline, HasTheTurnsOfTheFirstRankInARedistribution) {
  const std::vector<ProcessGrid> grids{
      {1, 6}, {2, 3}, {3, 2}, {6, 1}, {1, 6, {}, {5, 1, 2, 2, 1, 5}}, {3, 2, {1, 4, 1}, {3, 5}}};
  for (const ProcessGrid& former : grids) {
    for (const ProcessGrid& grid : grids) {
      for (const Halo halo : {Halo{0, 0}, {2, 2}, {0, 3}}) {
        const TransferSpec spec{
            TransferKind::redistribute, {},    grid, {{61, 53}, {PixelType::f32, 1}}, halo, {}, false,
            Packing::datatype,          former};
        const Schedule schedule = make_schedule(spec);
        std::multiset<Form> of_schedule;
        for (const Round& round : schedule.rounds) {
          for (const Message& message : round) {
            if (message.sender == root) of_schedule.insert(order_of(schedule.form(message)));
          }
        }
        std::multiset<Form> of_outline;
        for (const RoundOutline& alike : make_outline(spec).rounds) {
          for (std::int64_t i = 0; i < alike.count; ++i) of_outline.insert(order_of(alike.form));
        }
        ASSERT_EQ(of_outline, of_schedule) << describe(schedule);
        EXPECT_LE(least_copied_bytes(spec), schedule.copied_bytes());
      }
    }
  }
}

TEST(Outline, TheSmallestExchangeHasTheSameFormsOfMessages) {
  for (const TransferSpec& spec : some_specs()) {
    if (spec.kind != TransferKind::exchange) continue;
    const TransferSpec smallest = smallest_alike(spec);
    if (!spec.grid.mapping.is_given()) {
      EXPECT_LE(smallest.grid.ranks(), 16);
    }
    const Schedule all = make_schedule(spec);
    const Schedule few = make_schedule(smallest);
    ASSERT_EQ(few.rounds.size(), all.rounds.size());
    for (std::size_t i = 0; i < all.rounds.size(); ++i) {
      const auto forms = [](const Schedule& schedule, const Round& round) {
        std::set<Form> found;
        for (const MessageForm& form : forms_on_nodes(schedule, round)) found.insert(order_of(form));
        return found;
      };
      ASSERT_EQ(forms(few, few.rounds[i]), forms(all, all.rounds[i])) << describe(all);
      EXPECT_EQ(is_shift(few.rounds[i]), is_shift(all.rounds[i])) << describe(all);
    }
  }
}

TEST(Outline, TellsThePackingOfItsForms) {
  TransferSpec spec{TransferKind::exchange, {}, {2, 2}, {{64, 48}, {PixelType::f32, 1}}, {2, 2}, {2, 2}};
  spec.packing = Packing::manual;
  for (const RoundOutline& round : make_outline(spec).rounds) {
    EXPECT_EQ(round.form.packing, Packing::manual);
  }
  EXPECT_THROW((void)make_outline({TransferKind::scatter, {}, {2, 2}}), ParameterError);
}

}  // namespace
}  // namespace tilewright
