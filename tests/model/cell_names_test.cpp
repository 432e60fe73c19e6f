#include "tilewright/model/cell_names.hpp"

#include <gtest/gtest.h>

namespace tilewright {
namespace {

TEST(CellNames, AreReadBack) {
  for (const PathCell& cell : {PathCell{Path::send, Layout::cc, 4096, {}}, PathCell{Path::copy, Layout::cc, 0, {}},
                               PathCell{Path::all_to_one_to_all, Layout::cc, 1024, {}},
                               PathCell{Path::full, Layout::cc, 65536, {}, Packing::blocked},
                               PathCell{Path::recv, Layout::nn, 16384, {}, Packing::manual, 16, 4096},
                               PathCell{Path::send, Layout::cc, 4096, {}, Packing::datatype, 0, 0, true},
                               PathCell{Path::recv, Layout::nn, 16384, {}, Packing::manual, 16, 4096, true}}) {
    EXPECT_EQ(path_cell_named(cell_name(cell)), cell);
    EXPECT_EQ(operator_cell_named(cell_name(cell)), std::nullopt);
  }
  for (const OperatorCell& cell :
       {OperatorCell{"copy", PixelType::u8, 0, 65536, {}}, OperatorCell{"convolve", PixelType::f32, 2.5, 4096, {}, 8},
        OperatorCell{"convolve", PixelType::f32, 2.5, 4096, {}, 1, 4}}) {
    EXPECT_EQ(operator_cell_named(cell_name(cell)), cell);
    EXPECT_EQ(path_cell_named(cell_name(cell)), std::nullopt);
  }
  EXPECT_EQ(cell_name(PathCell{Path::send, Layout::cc, 4096, {}}), "send/cc/4096");
  const PathCell within{Path::send, Layout::cc, 4096, {}, Packing::datatype, 0, 0, true};
  EXPECT_EQ(cell_name(within), "within/send/cc/4096");
  const PathCell within_in_blocks{Path::full, Layout::nc, 16384, {}, Packing::manual, 16, 4096, true};
  EXPECT_EQ(cell_name(within_in_blocks), "within/full/nc/16384/manual/16/4096");
  EXPECT_EQ(cell_name(OperatorCell{"sum", PixelType::f32, 25, 65536, {}}), "sum/f32/25/65536");
}

TEST(CellNames, OthersAreNone) {
  for (const char* name : {"", "send", "send/cc", "send/cc/x", "send/cc/4/", "send/cc/4/manual", "tea/cc/4",
                           "sum/f32/25", "sum/f32/25/64k", "within/", "within/send/cc", "within/within/send/cc/4",
                           "send/within/cc/4", "sum/f128/25/64"}) {
    EXPECT_EQ(path_cell_named(name), std::nullopt) << name;
    EXPECT_EQ(operator_cell_named(name), std::nullopt) << name;
  }
}

}  // namespace
}  // namespace tilewright
