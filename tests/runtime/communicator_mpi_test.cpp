#include <gtest/gtest.h>

#include <numeric>
#include <thread>

#include "support/mpi_environment.hpp"
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
  for (const std::size_t length : {std::size_t{0}, std::size_t{1}, std::size_t{100000}}) {
    const std::string text(length, 'x');
    EXPECT_EQ(world().broadcast(world().is_root() ? text : "other"), text);
  }
}

TEST(Communicator, GathersTextsOfDifferentLengths) {
  const auto mine = static_cast<std::size_t>(world().rank()) * 1000;
  const std::vector<std::string> texts = world().gather(std::string(mine, 'y'));
  for (std::size_t i = 0; i < texts.size(); ++i) EXPECT_EQ(texts[i].size(), i * 1000);
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

TEST(PointToPoint, StridedBlocksArriveAsStored) {
  const int neighbour = world().rank() ^ 1;
  if (neighbour >= world().ranks()) return;
  constexpr int rows = 5, width = 7, pitch = 11;
  std::vector<int> sent(rows * pitch), received(rows * pitch, -1);
  std::iota(sent.begin(), sent.end(), 1000 * world().rank());
  const Leg send{{sent.data(), rows, width * 4, pitch * 4}, neighbour};
  const Leg receive{{received.data(), rows, width * 4, pitch * 4}, neighbour};
  exchange_blocks(world(), &receive, &send, 3);
  for (int y = 0; y < rows; ++y) {
    for (int x = 0; x < pitch; ++x) {
      const int expected = x < width ? 1000 * neighbour + y * pitch + x : -1;
      EXPECT_EQ(received[static_cast<std::size_t>(y * pitch + x)], expected) << x << " " << y;
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
