// The patterns of Juurlink and Rieping, section 4.2, as rounds of messages.
#include "../../src/calibrate/pattern.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tilewright/core/error.hpp"

namespace tilewright {
namespace {

using Counts = std::map<std::pair<int, int>, int>;  // by sender and receiver

Counts messages_of(Path pattern, int ranks) {
  Counts counts;
  for (const auto& round : rounds_of(pattern, ranks)) {
    for (const auto& message : round) ++counts[message];
  }
  return counts;
}

TEST(Patterns, InARoundARankSendsAndReceivesAtMostOneMessage) {
  for (const int ranks : {2, 3, 4, 7, 8}) {
    std::vector<Path> patterns(std::begin(all_patterns), std::end(all_patterns));
    patterns.insert(patterns.end(), {Path::shift, Path::swap});
    for (const Path pattern : patterns) {
      for (const auto& round : rounds_of(pattern, ranks)) {
        std::set<int> senders, receivers;
        for (const auto& [sender, receiver] : round) {
          EXPECT_TRUE(senders.insert(sender).second) << to_string(pattern);
          EXPECT_TRUE(receivers.insert(receiver).second) << to_string(pattern);
          EXPECT_NE(sender, receiver) << to_string(pattern);
        }
      }
    }
  }
}

TEST(Patterns, InASwapNobodyHasToDoWithTwo) {
  EXPECT_EQ(rounds_of(Path::swap, 2), (PatternRounds{{{0, 1}}, {{1, 0}}}));
  EXPECT_EQ(rounds_of(Path::swap, 5), (PatternRounds{{{0, 1}, {2, 3}}, {{1, 0}, {3, 2}}}));
  EXPECT_EQ(rounds_of(Path::swap, 8), rounds_of(Path::swap, 5)) << "as on a 2x2 grid";
}

TEST(Patterns, AreThoseOfThePaper) {
  for (const int ranks : {2, 5, 8}) {
    Counts to_partner, total, from_root, to_root;
    for (int a = 0; a < ranks; ++a) {
      to_partner[{a, (a + ranks / 2) % ranks}] = ranks - 1;
      for (int b = 0; b < ranks; ++b) {
        if (a == b) continue;
        total[{a, b}] = 1;
        if (a == 0) from_root[{a, b}] = 1;
        if (b == 0) to_root[{a, b}] = 1;
      }
    }
    EXPECT_EQ(messages_of(Path::one_to_one, ranks), to_partner);
    EXPECT_EQ(messages_of(Path::all_to_all, ranks), total);
    EXPECT_EQ(messages_of(Path::one_to_all, ranks), from_root);
    EXPECT_EQ(messages_of(Path::all_to_one, ranks), to_root);
    Counts both = from_root;
    both.insert(to_root.begin(), to_root.end());
    EXPECT_EQ(messages_of(Path::all_to_one_to_all, ranks), both);
    EXPECT_EQ(rounds_of(Path::all_to_all, ranks).size(), static_cast<std::size_t>(ranks - 1)) << "staggered";
  }
}

TEST(Patterns, AMessageOfTwoRanksIsNone) {
  EXPECT_THROW((void)rounds_of(Path::full, 4), InternalError);
}

}  // namespace
}  // namespace tilewright
