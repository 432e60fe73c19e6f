#include "node_forms.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>

#include "tilewright/core/node_mapping.hpp"
#include "tree.hpp"

namespace tilewright {
namespace {

/// By node, the messages of a round that leave it or come to it.
struct LinkUse {
  std::vector<int> leaving;
  std::vector<int> coming;
};

LinkUse link_use(const ProcessGrid& grid, const Round& round) {
  const auto nodes = static_cast<std::size_t>(nodes_of(grid));
  LinkUse use{std::vector<int>(nodes, 0), std::vector<int>(nodes, 0)};
  for (const Message& message : round) {
    const int from = node_of(grid, message.sender);
    const int to = node_of(grid, message.receiver);
    if (from == to) continue;
    ++use.leaving[static_cast<std::size_t>(from)];
    ++use.coming[static_cast<std::size_t>(to)];
  }
  return use;
}

/// Ranks of the root's node, but for the root.
int neighbours_of_root(const ProcessGrid& grid) {
  return std::min(grid.mapping.ranks, grid.ranks()) - 1;
}

/// A level of the tree, as far as ranks of the root's node send in it.
struct RootNodeLevel {
  bool root_stays = false;  ///< what the root sends stays within the node
  int leaving = 0;
};

/// The first `most` levels; the root sends in all of them.
std::vector<RootNodeLevel> levels_of_root_node(const ProcessGrid& grid, std::int64_t most) {
  std::vector<RootNodeLevel> levels;
  std::vector<CellBlock> held{{0, 0, grid.x, grid.y}};  // by ranks of the root's node, the root's first
  std::vector<CellBlock> next;
  std::vector<CellBlock> received;
  levels.reserve(static_cast<std::size_t>(most));
  for (auto* const blocks : {&held, &next, &received}) blocks->reserve(static_cast<std::size_t>(grid.mapping.ranks));
  while (held.front().cells() > 1 && std::ssize(levels) < most) {
    RootNodeLevel& level = levels.emplace_back();
    next.clear();
    received.clear();
    for (const CellBlock& block : held) {
      if (block.cells() == 1) continue;
      const auto [kept, given] = halve(block);
      const bool stays = node_of(grid, grid.rank(given.column0, given.row0)) == 0;
      if (next.empty()) level.root_stays = stays;
      next.push_back(kept);
      if (stays) {
        received.push_back(given);
      } else {
        ++level.leaving;
      }
    }
    next.insert(next.end(), received.begin(), received.end());
    held.swap(next);
  }
  return levels;
}

void lay_binomial_tree(TransferOutline& outline) {
  const std::int64_t messages =
      std::accumulate(outline.of_root.begin(), outline.of_root.end(), std::int64_t{0},
                      [](std::int64_t sum, const AlikeMessages& alike) { return sum + alike.count; });
  const std::vector<RootNodeLevel> levels = levels_of_root_node(outline.spec.grid, messages);
  std::vector<AlikeMessages> laid;
  for (const AlikeMessages& alike : outline.of_root) {
    for (std::int64_t i = 0; i < alike.count; ++i) {
      const RootNodeLevel& level = levels[laid.size()];
      AlikeMessages& one = laid.emplace_back(AlikeMessages{alike.form, 1});
      one.form.within_node = level.root_stays;
      if (!level.root_stays) one.form.on_link = level.leaving;
    }
  }
  outline.of_root = std::move(laid);
}

}  // namespace

std::vector<MessageForm> forms_on_nodes(const Schedule& schedule, const Round& round, std::vector<MessageForm> forms) {
  const ProcessGrid& grid = schedule.spec.grid;
  forms.clear();
  for (const Message& message : round) forms.push_back(schedule.form(message));
  if (!grid.mapping.is_given()) return forms;
  if (round.size() == 1) {
    forms.front().within_node = node_of(grid, round.front().sender) == node_of(grid, round.front().receiver);
    return forms;
  }
  const LinkUse use = link_use(grid, round);
  for (std::size_t i = 0; i < round.size(); ++i) {
    const auto from = static_cast<std::size_t>(node_of(grid, round[i].sender));
    const auto to = static_cast<std::size_t>(node_of(grid, round[i].receiver));
    forms[i].within_node = from == to;
    if (from != to) forms[i].on_link = std::max(use.leaving[from], use.coming[to]);
  }
  return forms;
}

Neighbours neighbours_of(const TransferSpec& exchange, bool along_x) {
  const ProcessGrid& grid = exchange.grid;
  const int next = along_x ? 1 : grid.x;
  const int first = first_with_pixels(grid);
  if (!grid.mapping.is_given()) return {first, first + next};
  const auto block = block_on_node(grid);
  if (!block) return {first, first + next, node_of(grid, first) == node_of(grid, first + next)};
  const int inside = along_x ? block->columns : block->rows;
  if (inside >= (along_x ? grid.x : grid.y)) return {first, first + next, true};
  const int last_inside = std::max((inside - 1) * next, first);  // with one rank a node every pair is of two nodes
  return {last_inside, last_inside + next, false, along_x ? block->rows : block->columns};
}

TransferOutline on_nodes(TransferOutline outline) {
  const TransferSpec& spec = outline.spec;
  if (!spec.grid.mapping.is_given()) return outline;
  if (spec.algorithm == Algorithm::sbt) {
    lay_binomial_tree(outline);
  } else if (spec.kind == TransferKind::allgather) {
    // Which hops of the largest tile stay within a node is not told.
    if (spec.grid.mapping.ranks > 1) outline.within_root_node = spec.grid.ranks() - 1;
  } else if (spec.kind != TransferKind::exchange) {
    outline.within_root_node = neighbours_of_root(spec.grid);
  }
  return outline;
}

}  // namespace tilewright
