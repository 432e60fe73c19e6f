// The spanning binomial tree over a block of grid cells, for any number of ranks.
#pragma once

#include <limits>
#include <vector>

#include "tilewright/core/grid.hpp"
#include "tilewright/core/message.hpp"

namespace tilewright {

/// Cells [column0, column1) x [row0, row1) of a grid.
struct CellBlock {
  int column0 = 0;
  int row0 = 0;
  int column1 = 1;
  int row1 = 1;

  [[nodiscard]] int cells() const { return (column1 - column0) * (row1 - row0); }
};

/// A block as it is parted: the larger half stays with the holder.
struct Halves {
  CellBlock kept;
  CellBlock given;
};
/// Of a block of several cells: of its rows, until one is left, then of its columns (DESIGN, "Sending").
[[nodiscard]] Halves halve(const CellBlock& block);

/// One edge: `parent` hands over `block`, which `child` (the block's first cell) holds from then on.
struct TreeEdge {
  int parent = 0;
  int child = 0;
  CellBlock block;
};

/// The cells whose halves ranks hand on. A broadcast cuts nothing: unless the mapping tells which ranks are near each
/// other, they are a row, whose tree has ceil(log2 P) levels where halves of a grid may have one more.
[[nodiscard]] ProcessGrid handed_on(TransferKind kind, const ProcessGrid& grid);

/// The tree's edges by level, from the root's first, as blocks are halved. For powers of two this is P-3PC's Fig. 5b.
[[nodiscard]] std::vector<std::vector<TreeEdge>> binomial_tree(const ProcessGrid& grid);

/// The blocks that the root hands over, in order: the tree's edges at the root, or the first ones.
[[nodiscard]] std::vector<CellBlock> blocks_of_root(const ProcessGrid& grid,
                                                    int most = std::numeric_limits<int>::max());
/// How many those are.
[[nodiscard]] int count_of_root(const ProcessGrid& grid);

}  // namespace tilewright
