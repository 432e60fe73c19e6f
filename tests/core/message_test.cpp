#include "tilewright/core/message.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tilewright/core/error.hpp"

namespace tilewright {
namespace {

TEST(Layout, NamesTheSenderThenTheReceiver) {
  EXPECT_EQ(to_string(layout_of(true, true)), "cc");
  EXPECT_EQ(to_string(layout_of(true, false)), "cn");
  EXPECT_EQ(to_string(layout_of(false, true)), "nc");
  EXPECT_EQ(to_string(layout_of(false, false)), "nn");
  for (const Layout layout : all_layouts) {
    EXPECT_EQ(layout_of(sender_contiguous(layout), receiver_contiguous(layout)), layout);
  }
}

TEST(MessageNames, AreReadBack) {
  for (std::size_t i = 0; i < path_count; ++i) {
    const Path path{static_cast<std::uint8_t>(i)};
    EXPECT_EQ(parse_path(to_string(path)), path);
  }
  for (const Layout layout : all_layouts) EXPECT_EQ(parse_layout(to_string(layout)), layout);
  for (const Algorithm algorithm : all_algorithms) EXPECT_EQ(parse_algorithm(to_string(algorithm)), algorithm);
  for (const TransferKind kind : {TransferKind::scatter, TransferKind::gather, TransferKind::broadcast,
                                  TransferKind::allgather, TransferKind::exchange, TransferKind::redistribute}) {
    EXPECT_EQ(parse_transfer_kind(to_string(kind)), kind);
  }
  for (const Packing packing : all_packings) EXPECT_EQ(parse_packing(to_string(packing)), packing);
}

TEST(MessageNames, AreThoseOfThePaper) {
  EXPECT_EQ(to_string(Path::full), "full");
  EXPECT_EQ(to_string(Algorithm::oft), "oft");
  EXPECT_EQ(to_string(Algorithm::sbt), "sbt");
  EXPECT_EQ(to_string(TransferKind::exchange), "exchange");
}

TEST(MessageNames, AnUnknownOneIsRefusedWithThoseThatAreKnown) {
  EXPECT_THAT([] { (void)parse_algorithm("tree"); }, testing::ThrowsMessage<ParameterError>(testing::AllOf(
                                                         testing::HasSubstr("'tree'"), testing::HasSubstr("oft sbt"))));
  EXPECT_THROW((void)parse_path("SEND"), ParameterError);
  EXPECT_THROW((void)parse_layout("ccc"), ParameterError);
  EXPECT_THROW((void)parse_transfer_kind(""), ParameterError);
  EXPECT_THROW((void)parse_packing("by hand"), ParameterError);
}

}  // namespace
}  // namespace tilewright
