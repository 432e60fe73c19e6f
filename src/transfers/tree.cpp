#include "tree.hpp"

#include <algorithm>
#include <bit>

namespace tilewright {
namespace {

/// Until one is left.
int halvings(int parts) {
  return std::bit_width(static_cast<unsigned>(parts - 1));
}

}  // namespace

Halves halve(const CellBlock& block) {
  Halves halves{block, block};
  const int rows = block.row1 - block.row0;
  const int columns = block.column1 - block.column0;
  if (rows > 1) {
    halves.kept.row1 = halves.given.row0 = block.row0 + (rows + 1) / 2;
  } else {
    halves.kept.column1 = halves.given.column0 = block.column0 + (columns + 1) / 2;
  }
  return halves;
}

std::vector<std::vector<TreeEdge>> binomial_tree(const ProcessGrid& grid) {
  std::vector<std::vector<TreeEdge>> levels;
  std::vector<CellBlock> held{{0, 0, grid.x, grid.y}};
  while (true) {
    std::vector<TreeEdge> edges;
    std::vector<CellBlock> next;
    edges.reserve(held.size());
    next.reserve(2 * held.size());
    for (const CellBlock& block : held) {
      if (block.cells() == 1) continue;
      const auto [kept, given] = halve(block);
      edges.push_back({grid.rank(kept.column0, kept.row0), grid.rank(given.column0, given.row0), given});
      next.push_back(kept);
      next.push_back(given);
    }
    if (edges.empty()) return levels;
    levels.push_back(std::move(edges));
    held = std::move(next);
  }
}

ProcessGrid handed_on(TransferKind kind, const ProcessGrid& grid) {
  const bool is_row = kind == TransferKind::broadcast && !grid.mapping.is_given();
  return is_row ? ProcessGrid{grid.ranks(), 1} : grid;
}

int count_of_root(const ProcessGrid& grid) {
  return halvings(grid.x) + halvings(grid.y);
}

std::vector<CellBlock> blocks_of_root(const ProcessGrid& grid, int most) {
  const auto count = static_cast<std::size_t>(std::min(most, count_of_root(grid)));
  std::vector<CellBlock> given;
  given.reserve(count);
  for (CellBlock held{0, 0, grid.x, grid.y}; given.size() < count;) {
    const Halves halves = halve(held);
    given.push_back(halves.given);
    held = halves.kept;
  }
  return given;
}

}  // namespace tilewright
