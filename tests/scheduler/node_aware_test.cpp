// Messages within a node, and those that share a node's link.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/test_profiles.hpp"
#include "tilewright/scheduler/cost_model.hpp"

namespace tilewright {
namespace {

constexpr std::int64_t k = 65536;

MachineProfile with_messages_within(const MachineProfile& between, std::vector<PathCell> within) {
  for (PathCell& cell : within) cell.within_node = true;
  within.insert(within.end(), between.paths().begin(), between.paths().end());
  return {between.name(), between.fingerprint(), std::move(within), between.operators()};
}

std::vector<PathCell> ten_times_as_fast(const MachineProfile& profile) {
  std::vector<PathCell> cells = profile.paths();
  for (PathCell& cell : cells) cell.time.seconds /= 10;
  return cells;
}

MessageForm form_of(Layout layout, std::int64_t bytes) {
  return {layout, bytes, 16, 64, 64};
}

MessageForm within_node(MessageForm form) {
  form.within_node = true;
  return form;
}

TEST(NodeAware, MessagesWithinANodeHaveCostsOfTheirOwn) {
  const MachineProfile das = test::das_profile();
  const MachineProfile both = with_messages_within(das, ten_times_as_fast(das));
  for (const std::string_view name : {"p3pc", "p3pc-stride", "3pc", "loggp-star", "loggp", "logp", "hockney"}) {
    const auto plain = make_cost_model(name, das);
    const auto aware = make_cost_model(name, both);
    EXPECT_EQ(aware->name(), name);
    EXPECT_EQ(aware->packings(), plain->packings());
    EXPECT_NE(aware->statement().message, plain->statement().message);
    EXPECT_EQ(aware->depends_on(Path::recv, TransferKind::scatter),
              plain->depends_on(Path::recv, TransferKind::scatter));
    const MessageForm form = form_of(Layout::nc, k);
    for (const Path path : {Path::send, Path::recv, Path::full, Path::shift}) {
      const double between_s = plain->message_seconds(path, form);
      EXPECT_EQ(aware->message_seconds(path, form), between_s) << name;
      EXPECT_NEAR(aware->message_seconds(path, within_node(form)), between_s / 10, 1e-9 * between_s) << name;
    }
    const Schedule broadcast =
        make_schedule({TransferKind::broadcast, Algorithm::sbt, {1, 8}, {{k, 1}, {PixelType::u8, 1}}});
    EXPECT_EQ(aware->transfer_seconds(broadcast), plain->transfer_seconds(broadcast)) << name;
  }
}

TEST(NodeAware, MessagesThatShareALinkTakeAsLongAsOneOfAllTheirBytes) {
  const MachineProfile das = test::das_profile();
  const auto plain = make_cost_model("p3pc", das);
  const auto aware = make_cost_model("p3pc", with_messages_within(das, ten_times_as_fast(das)));
  MessageForm sharing = form_of(Layout::cn, k);
  sharing.on_link = 2;
  EXPECT_EQ(aware->message_seconds(Path::full, sharing),
            plain->message_seconds(Path::full, form_of(Layout::cn, 2 * k)));
  EXPECT_EQ(plain->message_seconds(Path::full, sharing), plain->message_seconds(Path::full, form_of(Layout::cn, k)))
      << "a profile that does not tell them apart";
  EXPECT_EQ(aware->message_seconds(Path::full, within_node(sharing)),
            aware->message_seconds(Path::full, within_node(form_of(Layout::cn, k))))
      << "within a node there is no link";
}

TEST(NodeAware, PricesAreReadOffTheMessagesOfTheirOwnKind) {
  const MachineProfile das = test::das_profile();
  const auto aware = make_cost_model("p3pc", with_messages_within(das, ten_times_as_fast(das)));
  MessageForm sharing = form_of(Layout::nc, k);
  sharing.on_link = 2;
  EXPECT_EQ(aware->wanted_cells(Path::send, sharing), std::vector{(PathCell{Path::send, Layout::nc, 2 * k, {}})});
  PathCell within{Path::send, Layout::nc, k, {}};
  within.within_node = true;
  EXPECT_EQ(aware->wanted_cells(Path::send, within_node(sharing)), std::vector{within});
}

TEST(NodeAware, TooFewMessagesWithinANodeAreNotCounted) {
  const MachineProfile das = test::das_profile();
  const MessageForm form = within_node(form_of(Layout::nn, k));
  std::vector<PathCell> contiguous = ten_times_as_fast(das);
  std::erase_if(contiguous, [](const PathCell& cell) { return cell.layout != Layout::cc; });
  const std::vector<PathCell> single{contiguous.front()};
  const auto seconds_of = [&](std::string_view name, const std::vector<PathCell>& within) {
    return make_cost_model(name, with_messages_within(das, within))->message_seconds(Path::full, form);
  };
  const double with_layouts = make_cost_model("p3pc", das)->message_seconds(Path::full, form);
  EXPECT_EQ(seconds_of("p3pc", contiguous), with_layouts);
  EXPECT_EQ(seconds_of("p3pc-stride", contiguous), with_layouts);
  const double of_line = make_cost_model("hockney", das)->message_seconds(Path::full, form);
  EXPECT_EQ(seconds_of("hockney", single), of_line);
  EXPECT_NEAR(seconds_of("hockney", contiguous), of_line / 10, 1e-9 * of_line) << "for which they are enough";
}

TEST(NodeAware, PackingsAreThoseThatBothKnow) {
  const MachineProfile das = test::das_profile();
  std::vector<PathCell> cells = das.paths();
  for (const Layout layout : {Layout::nc, Layout::cn}) {
    cells.push_back({Path::full, layout, 16384, {1, 0, 9}, Packing::manual, 16, 32});
  }
  const MachineProfile packs("packs", {}, cells, {});
  const auto packings = [](const MachineProfile& profile) {
    return make_cost_model("p3pc-stride", profile)->packings();
  };
  using testing::ElementsAre;
  EXPECT_THAT(packings(packs), ElementsAre(Packing::datatype, Packing::manual));
  EXPECT_THAT(packings(with_messages_within(packs, cells)), ElementsAre(Packing::datatype, Packing::manual));
  EXPECT_THAT(packings(with_messages_within(packs, das.paths())), ElementsAre(Packing::datatype));
}

}  // namespace
}  // namespace tilewright
