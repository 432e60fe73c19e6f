#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <thread>

#include "../../src/runtime/communicator_implementation.hpp"
#include "support/mpi_environment.hpp"
#include "tilewright/core/error.hpp"
#include "tilewright/runtime/communicator.hpp"
#include "tilewright/runtime/point_to_point.hpp"

namespace tilewright {
namespace {

using test::world;

TEST(Communicator, RanksAreNumbered) {
  const std::vector<std::string> ranks = world().gather(std::to_string(world().rank()));
  if (!world().is_root()) {
    EXPECT_TRUE(ranks.empty());
    return;
  }
  ASSERT_EQ(static_cast<int>(ranks.size()), world().ranks());
  for (int i = 0; i < world().ranks(); ++i) EXPECT_EQ(ranks[static_cast<std::size_t>(i)], std::to_string(i));
}

TEST(Communicator, BroadcastsTextsOfAnyLength) {
  for (const std::size_t length :
       {std::size_t{0}, std::size_t{1}, std::size_t{504}, std::size_t{505}, std::size_t{100000}}) {
    const std::string text(length, 'x');
    EXPECT_EQ(world().broadcast(world().is_root() ? text : "other"), text);
  }
}

TEST(Communicator, TellsTheRootsNumbersAsTheyAre) {
  const bool is_root = world().is_root();
  EXPECT_EQ(world().of_root(is_root ? 0.1 : 7), 0.1);
  EXPECT_EQ(world().of_root(is_root ? -3 : world().rank()), -3);
  EXPECT_EQ(world().of_root(std::uint64_t{is_root ? ~0ULL : 1}), ~std::uint64_t{0});
  EXPECT_TRUE(world().of_root(is_root));
  EXPECT_FALSE(world().of_root(!is_root));
}

TEST(Communicator, GathersTextsOfDifferentLengths) {
  const auto mine = static_cast<std::size_t>(world().rank()) * 1000;
  const std::vector<std::string> texts = world().gather(std::string(mine, 'y'));
  for (std::size_t i = 0; i < texts.size(); ++i) EXPECT_EQ(texts[i].size(), i * 1000);
}

TEST(Communicator, GathersLongTextsInPortions) {
  const auto text_of = [](int rank) {
    std::string text;
    for (int i = 0; i < 7 * rank; ++i) text += static_cast<char>('a' + (i + rank) % 26);
    return text;
  };
  for (const std::size_t at_a_time : {1, 20, 1000}) {
    const std::vector<std::string> texts = world().implementation().gather(text_of(world().rank()), at_a_time);
    ASSERT_EQ(texts.size(), world().is_root() ? static_cast<std::size_t>(world().ranks()) : 0U);
    for (std::size_t i = 0; i < texts.size(); ++i) EXPECT_EQ(texts[i], text_of(static_cast<int>(i)));
  }
}

TEST(Communicator, GathersNumbersByRank) {
  const double rank = world().rank();
  const std::vector<double> all = world().gather(std::vector{rank, -rank});
  ASSERT_EQ(all.size(), world().is_root() ? 2U * static_cast<std::size_t>(world().ranks()) : 0U);
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(std::abs(all[i]), static_cast<double>(i / 2));
}

TEST(Communicator, RanksInAnotherOrderGatherAndBroadcastByTheirNewNumbers) {
  std::vector<int> order(static_cast<std::size_t>(world().ranks()));
  std::iota(order.begin(), order.end(), 0);
  std::rotate(order.begin() + 1, order.begin() + std::min(2, world().ranks()), order.end());
  const Communicator& ranks = world().in_order(order);
  EXPECT_EQ(ranks.is_root(), world().is_root());
  EXPECT_EQ(ranks.ranks(), world().ranks());
  EXPECT_EQ(order[static_cast<std::size_t>(ranks.rank())], world().rank());
  EXPECT_EQ(&world().in_order(order), &ranks) << "kept";
  EXPECT_EQ(ranks.broadcast(ranks.is_root() ? "word" : ""), "word");
  const std::vector<std::string> texts = ranks.gather(std::string(static_cast<std::size_t>(world().rank()), 'x'));
  const double before = world().rank();
  const double after = ranks.rank();
  const std::vector<double> numbers = ranks.gather(std::vector{before, after});
  ranks.barrier();
  if (!ranks.is_root()) return;
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    EXPECT_EQ(texts[rank].size(), static_cast<std::size_t>(order[rank]));
    EXPECT_EQ(numbers[2 * rank], order[rank]);
    EXPECT_EQ(numbers[2 * rank + 1], static_cast<double>(rank));
  }
  if (world().ranks() == 1) return;
  std::reverse(order.begin(), order.end());
  EXPECT_THROW((void)world().in_order(order), InternalError) << "the root has to stay the root";
}

TEST(Communicator, TellsWhetherAllAgree) {
  for (const std::uint64_t number : {std::uint64_t{0}, std::uint64_t{42}, ~std::uint64_t{0}}) {
    EXPECT_TRUE(world().agree_on(number));
    const bool is_last = world().rank() == world().ranks() - 1;
    EXPECT_EQ(world().agree_on(is_last ? number + 1 : number), world().ranks() == 1);
    EXPECT_EQ(world().agree_on(is_last ? number - 1 : number), world().ranks() == 1);
  }
}

TEST(Communicator, NobodyLeavesABarrierBeforeTheLastHasCome) {
  using Clock = std::chrono::steady_clock;
  world().barrier();
  const auto begin = Clock::now();
  if (world().rank() == world().ranks() - 1) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  world().barrier();
  EXPECT_GE(Clock::now() - begin, std::chrono::milliseconds(45));
}

TEST(Communicator, KnowsItsNode) {
  EXPECT_EQ(world().nodes(), 1);
  EXPECT_EQ(world().ranks_per_node(), world().ranks());
  EXPECT_GT(world().available_cores(), 0);
  const bool crowded = world().ranks() > world().available_cores();
  if (crowded) {
    EXPECT_EQ(world().wait_policy(), WaitPolicy::polite);
  }
}

TEST(Communicator, RestsUnderAllOfItsNumbers) {
  std::vector<int> order;
  for (int rank = 0; rank < world().ranks(); ++rank) order.push_back(rank);
  std::reverse(order.begin() + 1, order.end());
  const Communicator& reversed = world().in_order(order);
  const WaitPolicy before = world().wait_policy();
  {
    const Rest rest(reversed);
    EXPECT_EQ(world().wait_policy(), WaitPolicy::resting);
    const Rest again(world());
    EXPECT_EQ(reversed.wait_policy(), WaitPolicy::resting);
  }
  EXPECT_EQ(world().wait_policy(), before);
  EXPECT_EQ(reversed.wait_policy(), before);
}

/// Exchanges rows of `width` bytes with the neighbour; each rank's own pattern is to arrive, and nothing between rows
/// to be touched.
void expect_exchanged(std::int64_t rows, std::int64_t width, Packing packing, bool receives_contiguously) {
  const int neighbour = world().rank() ^ 1;
  if (neighbour >= world().ranks()) return;
  const std::int64_t pitch = width + 5;
  const std::int64_t received_pitch = receives_contiguously ? width : pitch;
  const auto pattern = [&](int rank, std::int64_t i) { return static_cast<char>(31 * rank + i * 7 + i / 251); };
  std::vector<char> sent(static_cast<std::size_t>(rows * pitch));
  std::vector<char> received(sent.size(), 'x');
  for (std::size_t i = 0; i < sent.size(); ++i) sent[i] = pattern(world().rank(), static_cast<std::int64_t>(i));
  const Leg send{{sent.data(), rows, width, pitch}, neighbour, packing};
  const Leg receive{{received.data(), rows, width, received_pitch}, neighbour, packing};
  exchange_blocks(world(), &receive, &send, 3);
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(received.size()); ++i) {
    const std::int64_t y = i / received_pitch, x = i % received_pitch;
    const bool is_sent = y < rows && x < width;
    const char expected = is_sent ? pattern(neighbour, y * pitch + x) : 'x';
    ASSERT_EQ(received[static_cast<std::size_t>(i)], expected)
        << x << " " << y << " of " << rows << " rows of " << width << " " << to_string(packing);
  }
}

TEST(PointToPoint, StridedBlocksArriveAsStoredHoweverTheyArePacked) {
  for (const Packing packing : all_packings) {
    for (const bool contiguously : {false, true}) {
      // Lengths on both sides of each way to copy a row; the last ones take several pieces.
      for (const std::int64_t width : {1, 2, 3, 4, 7, 8, 9, 12, 15, 16, 17, 31, 32, 33, 63, 64, 65, 1000}) {
        expect_exchanged(5, width, packing, contiguously);
      }
      expect_exchanged(20000, 28, packing, contiguously);
      expect_exchanged(3, 100000, packing, contiguously);
    }
  }
}

TEST(PointToPoint, LargeAndEmptyMessages) {
  const int neighbour = world().rank() ^ 1;
  if (neighbour >= world().ranks()) return;
  for (const std::int64_t bytes : {std::int64_t{0}, std::int64_t{3000001}}) {
    std::vector<char> sent(static_cast<std::size_t>(bytes) + 1, static_cast<char>('a' + world().rank()));
    std::vector<char> received(sent.size(), '-');
    const Leg send{{sent.data(), 1, bytes, bytes}, neighbour};
    const Leg receive{{received.data(), 1, bytes, bytes}, neighbour};
    exchange_blocks(world(), &receive, &send, 4);
    const auto expected = static_cast<char>('a' + neighbour);
    for (std::int64_t i = 0; i < bytes; ++i) ASSERT_EQ(received[static_cast<std::size_t>(i)], expected);
    EXPECT_EQ(received.back(), '-');
  }
}

}  // namespace
}  // namespace tilewright
