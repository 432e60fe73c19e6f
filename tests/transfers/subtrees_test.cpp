// Subtrees against the schedules that they stand for.
#include "tilewright/transfers/subtrees.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace tilewright {
namespace {

std::string text_of(const MessageForm& form) {
  return std::string(to_string(form.layout)) + " " + std::to_string(form.bytes) + " in " +
         std::to_string(form.block_bytes) + " from " + std::to_string(form.sender_stride) + " to " +
         std::to_string(form.receiver_stride);
}

/// Of every message of that subtree.
void add_forms(const std::vector<Subtree>& all, int subtree, std::vector<std::string>& forms) {
  if (subtree < 0) return;
  const Subtree& halves = all[static_cast<std::size_t>(subtree)];
  EXPECT_LT(std::max(halves.kept, halves.given), subtree) << "after its halves";
  forms.push_back(text_of(halves.form));
  add_forms(all, halves.kept, forms);
  add_forms(all, halves.given, forms);
}

std::vector<std::string> forms_of(const Schedule& schedule) {
  std::vector<std::string> forms;
  for (const Round& round : schedule.rounds) {
    for (const Message& message : round) forms.push_back(text_of(schedule.form(message)));
  }
  return forms;
}

TEST(Subtrees, HaveAllMessagesOfTheTree) {
  for (const ProcessGrid& grid :
       {ProcessGrid{1, 1}, {1, 2}, {2, 1}, {1, 7}, {9, 1}, {4, 4}, {5, 3}, {6, 11}, {16, 8}}) {
    for (const Extent extent : {Extent{64, 48}, {61, 53}, {17, 49}}) {
      for (const Halo halo : {Halo{0, 0}, {2, 2}, {0, 3}}) {
        for (const TransferKind kind : {TransferKind::scatter, TransferKind::gather, TransferKind::broadcast}) {
          const TransferSpec spec{kind, Algorithm::sbt, grid, {extent, {PixelType::f32, 1}}, halo};
          const auto subtrees = subtrees_of(spec);
          ASSERT_TRUE(subtrees);
          std::vector<std::string> expected = forms_of(make_schedule(spec));
          std::vector<std::string> found;
          add_forms(*subtrees, static_cast<int>(subtrees->size()) - 1, found);
          std::sort(expected.begin(), expected.end());
          std::sort(found.begin(), found.end());
          ASSERT_EQ(found, expected) << to_string(kind) << " " << to_string(grid);
        }
      }
    }
  }
}

TEST(Subtrees, AreFew) {
  for (const ProcessGrid& grid : {ProcessGrid{32, 32}, {1, 1024}, {1023, 1}, {31, 33}}) {
    const TransferSpec spec{TransferKind::scatter, Algorithm::sbt, grid, {{2048, 2048}, {PixelType::f32, 1}}};
    EXPECT_LE(subtrees_of(spec)->size(), 120) << to_string(grid);
  }
}

TEST(Subtrees, AreNoneWhereTheyDifferInMoreThanTheirSizes) {
  const ImageShape image{{64, 64}, {PixelType::f32, 1}};
  const TransferSpec plain{TransferKind::scatter, Algorithm::sbt, {4, 4}, image, {1, 1}};
  EXPECT_TRUE(subtrees_of(plain));
  TransferSpec other = plain;
  other.algorithm = Algorithm::oft;
  EXPECT_FALSE(subtrees_of(other));
  other = plain;
  other.exchanged = {1, 1};
  EXPECT_FALSE(subtrees_of(other)) << "inner blocks have more halo than outer ones";
  other = plain;
  other.grid = parse_grid("4x4@2x2");
  EXPECT_FALSE(subtrees_of(other));
  other.grid = parse_grid("1x4[4:4:1:1]");
  EXPECT_FALSE(subtrees_of(other));
  EXPECT_FALSE(subtrees_of({TransferKind::exchange, {}, {4, 4}, image, {1, 1}, {1, 1}}));
}

}  // namespace
}  // namespace tilewright
