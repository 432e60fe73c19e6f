#include "tilewright/transfers/outline.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "node_forms.hpp"
#include "pitch.hpp"
#include "tilewright/core/node_mapping.hpp"
#include "tree.hpp"

namespace tilewright {
namespace {

/// Parts of one size.
struct Parts {
  std::int64_t size = 0;
  int count = 0;
};

/// Tells the parts of a side in their order, neighbours of one size together: of one that is cut evenly the larger ones
/// first.
template <class Add>
void each_size(const Cut& cut, Add&& add) {
  if (cut.is_even()) {
    const auto larger = static_cast<int>(cut.size() % cut.parts());
    if (larger > 0) add(cut.size() / cut.parts() + 1, larger);
    if (larger < cut.parts()) add(cut.size() / cut.parts(), cut.parts() - larger);
    return;
  }
  const std::vector<std::int64_t> begins = cut.begins();
  for (std::size_t part = 1, end = 1; part < begins.size(); part = end) {
    const auto size_of = [&](std::size_t i) { return begins[i] - begins[i - 1]; };
    while (end < begins.size() && size_of(end) == size_of(part)) ++end;
    add(size_of(part), static_cast<int>(end - part));
  }
}

std::vector<Parts> parts_of(const Cut& cut) {
  std::vector<Parts> all;
  all.reserve(2);  // of most sides all
  each_size(cut, [&](std::int64_t size, int count) { all.push_back({size, count}); });
  return all;
}

/// The message of `area` between the root's whole image and what another rank stores it in.
MessageForm form_with_root(const TransferSpec& spec, const Rect& area, std::int64_t pitch_bytes) {
  const std::int64_t of_whole = pitch_bytes_of(rect_of(spec.image.extent), spec);
  const bool to_root = spec.kind == TransferKind::gather;
  return form_of(area, to_root ? pitch_bytes : of_whole, to_root ? of_whole : pitch_bytes, spec);
}

/// What surrounds the tiles that a scatter sends.
Halo halo_along(const TransferSpec& spec) {
  return spec.kind == TransferKind::scatter ? spec.exchanged : Halo{};
}

/// Parts of a side that are alike as they are sent.
struct SentParts {
  std::int64_t size = 0;
  std::int64_t sent = 0;  ///< with the halo that goes along, as far as it is inside the image
  int count = 0;
};

/// The parts of a side whose halo goes along as far as it is inside the image. The first part is among the first of
/// them, the last part among the last.
class PartsWithHalo {
 public:
  PartsWithHalo(const Cut& cut, std::int64_t halo) : cut_(cut), halo_(halo) {}

  [[nodiscard]] std::vector<SentParts> all() && {
    if (cut_.is_even()) {
      add_even();
    } else {
      const std::vector<std::int64_t> begins = cut_.begins();
      for (std::size_t i = 0; i + 1 < begins.size(); ++i) add_one(begins[i], begins[i + 1]);
    }
    return std::move(parts_);
  }

 private:
  /// Between those near the edges there are two sizes.
  void add_even() {
    int first = 0;
    for (; first < cut_.parts() && cut_.begin(first) < halo_; ++first)
      add_one(cut_.begin(first), cut_.begin(first + 1));
    int end = cut_.parts();
    while (end > first && cut_.begin(end) + halo_ > cut_.size()) --end;
    const std::int64_t size = cut_.size() / cut_.parts();
    const int larger = std::clamp(static_cast<int>(cut_.size() % cut_.parts()) - first, 0, end - first);
    add({size + 1, size + 1 + 2 * halo_, larger});
    add({size, size + 2 * halo_, end - first - larger});
    for (int part = end; part < cut_.parts(); ++part) add_one(cut_.begin(part), cut_.begin(part + 1));
  }
  void add_one(std::int64_t begin, std::int64_t end) {
    const std::int64_t sent = std::min(end + halo_, cut_.size()) - std::max<std::int64_t>(begin - halo_, 0);
    const SentParts one{end - begin, sent, 1};
    if (end < cut_.size()) return add(one);
    parts_.push_back(one);
  }
  void add(const SentParts& more) {
    if (more.count == 0) return;
    const auto known = std::find_if(parts_.begin(), parts_.end(), [&](const SentParts& alike) {
      return alike.size == more.size && alike.sent == more.sent;
    });
    if (known == parts_.end()) {
      parts_.push_back(more);
    } else {
      known->count += more.count;
    }
  }

  const Cut& cut_;
  std::int64_t halo_;
  std::vector<SentParts> parts_;
};

std::vector<SentParts> sent_parts(const Cut& cut, std::int64_t halo) {
  if (halo > 0) return PartsWithHalo(cut, halo).all();
  std::vector<SentParts> all;
  all.reserve(2);
  each_size(cut, [&](std::int64_t size, int count) { all.push_back({size, size, count}); });
  return all;
}

/// Of a flat tree, the messages of the root with tiles of those columns and rows.
class TilesOfFlatTree {
 public:
  explicit TilesOfFlatTree(const TransferSpec& spec)
      : spec_(spec),
        columns_(sent_parts(Cut::columns(spec.image.extent, spec.grid), halo_along(spec).x)),
        rows_(sent_parts(Cut::rows(spec.image.extent, spec.grid), halo_along(spec).y)) {}

  /// Of all ranks but the root, which is among the first parts of both sides; the last rank is among the last ones.
  [[nodiscard]] std::vector<AlikeMessages> all() const {
    std::vector<AlikeMessages> messages;
    messages.reserve(rows_.size() * columns_.size());
    for (const SentParts& rows : rows_) {
      for (const SentParts& columns : columns_) add(messages, columns, rows);
    }
    return messages;
  }
  /// Those that are alike with most others.
  [[nodiscard]] std::vector<AlikeMessages> most() const {
    const auto most_of = [](const std::vector<SentParts>& parts) -> const SentParts& {
      return *std::max_element(parts.begin(), parts.end(),
                               [](const SentParts& a, const SentParts& b) { return a.count < b.count; });
    };
    std::vector<AlikeMessages> messages;
    add(messages, most_of(columns_), most_of(rows_));
    return messages;
  }

 private:
  void add(std::vector<AlikeMessages>& messages, const SentParts& columns, const SentParts& rows) const {
    const bool is_with_root = &columns == &columns_.front() && &rows == &rows_.front();
    const std::int64_t count = std::int64_t{rows.count} * columns.count - (is_with_root ? 1 : 0);
    if (count == 0) return;
    const std::int64_t pitch_bytes = pitch_bytes_of_tile({0, 0, columns.size, rows.size}, spec_);
    messages.push_back({form_with_root(spec_, {0, 0, columns.sent, rows.sent}, pitch_bytes), count});
  }

  const TransferSpec& spec_;
  std::vector<SentParts> columns_;
  std::vector<SentParts> rows_;
};

/// The first messages of the root, which are the largest.
std::vector<AlikeMessages> binomial_tree_of_root(const TransferSpec& spec, int most = std::numeric_limits<int>::max()) {
  const std::vector<CellBlock> blocks = blocks_of_root(spec.grid, most);
  std::vector<AlikeMessages> messages;
  messages.reserve(blocks.size());
  for (const CellBlock& block : blocks) {
    const Rect tiles = tiles_of(spec.image.extent, spec.grid, block.column0, block.row0, block.column1, block.row1);
    const Rect area = grown(tiles, halo_along(spec), spec.image.extent);
    const bool is_tile = block.cells() == 1;
    messages.push_back(
        {form_with_root(spec, area, is_tile ? pitch_bytes_of_tile(tiles, spec) : pitch_bytes_of(area, spec))});
  }
  return messages;
}

std::vector<AlikeMessages> broadcast(const TransferSpec& spec) {
  const Rect whole = rect_of(spec.image.extent);
  const int count = root_messages(spec);
  if (count == 0) return {};
  return {{form_with_root(spec, whole, pitch_bytes_of(whole, spec)), count}};
}

/// The two rounds along one axis: from a tile to its neighbour, and back.
void add_rounds(TransferOutline& outline, bool along_x) {
  const TransferSpec& spec = outline.spec;
  const Halo halo = spec.exchanged;
  const Neighbours pair = neighbours_of(spec, along_x);
  const Rect first = tile_of(spec.image.extent, spec.grid, pair.first);
  const std::int64_t at_first = pitch_bytes_of_tile(first, spec);
  const std::int64_t at_second = pitch_bytes_of_tile(tile_of(spec.image.extent, spec.grid, pair.second), spec);
  const Rect band = along_x ? Rect{0, 0, halo.x, first.height()} : Rect{0, 0, first.width() + 2 * halo.x, halo.y};
  const int with_pixels = (along_x ? spec.grid.x : spec.grid.y) - first_with_pixels(spec.grid);
  const bool shift = with_pixels > (spec.cyclic ? 1 : 2);
  for (const auto& [from, to] : {std::pair(at_first, at_second), std::pair(at_second, at_first)}) {
    RoundOutline& round = outline.rounds.emplace_back(RoundOutline{form_of(band, from, to, spec), shift});
    round.form.within_node = pair.within_node;
    round.form.on_link = pair.on_link;
  }
}

void outline_exchange(TransferOutline& outline) {
  const TransferSpec& spec = outline.spec;
  if (spec.grid.x > 1 && spec.exchanged.x > 0) add_rounds(outline, true);
  if (spec.grid.y > 1 && spec.exchanged.y > 0) add_rounds(outline, false);
}

/// In every hop each tile goes one rank further, the largest one, too.
void outline_allgather(TransferOutline& outline) {
  const TransferSpec& spec = outline.spec;
  const int hops = spec.grid.ranks() - 1;
  if (hops == 0) return;
  const std::int64_t whole = pitch_bytes_of(rect_of(spec.image.extent), spec);
  const bool shift = spec.grid.ranks() - first_with_pixels(spec.grid) > 1;
  const Rect largest = rect_of(largest_tile(spec.image.extent, spec.grid));
  outline.rounds.push_back({form_of(largest, whole, whole, spec), shift, hops});
}

/// Parts of a side that take alike of rank 0's former part, which begins at 0.
struct TakingParts {
  std::int64_t size = 0;
  std::int64_t taken = 0;
  int count = 0;
};

/// All but the last take all that they are.
std::vector<TakingParts> taking_parts(const Cut& cut, std::int64_t former) {
  std::vector<TakingParts> all;
  if (former == 0) return all;
  const int last = cut.part_at(former - 1);
  int left = last;
  for (const Parts& alike : parts_of(cut)) {
    const int count = std::min(alike.count, left);
    if (count > 0) all.push_back({alike.size, alike.size, count});
    left -= count;
  }
  const std::int64_t begin = cut.begin(last);
  all.push_back({cut.begin(last + 1) - begin, former - begin, 1});
  return all;
}

/// What rank 0 sends: the first part of both sides it keeps.
void outline_redistribution(TransferOutline& outline) {
  const TransferSpec& spec = outline.spec;
  const Rect former = tile_of(spec.image.extent, spec.former, 0);
  const std::int64_t pitch_bytes = pitch_bytes_of_tile(former, spec);
  const std::vector<TakingParts> all_columns = taking_parts(Cut::columns(spec.image.extent, spec.grid), former.width());
  bool is_first = true;
  for (const TakingParts& rows : taking_parts(Cut::rows(spec.image.extent, spec.grid), former.height())) {
    for (const TakingParts& columns : all_columns) {
      std::int64_t count = std::int64_t{rows.count} * columns.count;
      if (std::exchange(is_first, false)) --count;
      if (count == 0) continue;
      const std::int64_t at_receiver = pitch_bytes_of_tile({0, 0, columns.size, rows.size}, spec);
      const Rect taken{0, 0, columns.taken, rows.taken};
      outline.rounds.push_back({form_of(taken, pitch_bytes, at_receiver, spec), true, count});
    }
  }
}

/// So many of `count` parts of a size, that lie on nodes in blocks of `block`: a block and up to another one have every
/// pair of neighbours, within a block and at its edge, and leave what follows at its place in its own block.
int shortened(int count, int block, int enough) {
  const int shorter = block == 1 ? enough : block + (count - 1) % block + 1;
  return count <= std::max(enough, 2 * block) ? count : shorter;
}

/// An evenly cut side, cut into fewer parts of the same sizes: two of a size have every pair of neighbours, and it
/// takes three parts for one that both sends and receives. Where nothing crosses its cuts, one of a size is enough.
Parts shortened(const Cut& cut, int block, bool is_crossed) {
  Parts side;
  const auto both = parts_of(cut);
  const int crossed = both.size() == 2 ? 2 : 3;
  const int enough = is_crossed ? crossed : 1;
  for (const Parts& alike : both) {
    const int count = shortened(alike.count, block, enough);
    side.size += count * alike.size;
    side.count += count;
  }
  return side;
}

/// The same block of the grid on each node, with as many ranks.
NodeMapping mapping_of_blocks(const NodeBlock& block) {
  return {block.columns * block.rows, block.columns};
}

}  // namespace

int root_messages(const TransferSpec& spec) {
  return tree_shape(spec) == TreeShape::flat ? spec.grid.ranks() - 1 : count_of_root(handed_on(spec.kind, spec.grid));
}

MessageForm largest_copy(const TransferSpec& spec) {
  const Rect whole = rect_of(spec.image.extent);
  if (spec.kind == TransferKind::broadcast) return form_with_root(spec, whole, pitch_bytes_of(whole, spec));
  const Extent tile = largest_tile(spec.image.extent, spec.grid);
  const Extent copied = largest_tile(spec.image.extent, spec.grid, halo_along(spec));
  return form_with_root(spec, rect_of(copied), pitch_bytes_of_tile(rect_of(tile), spec));
}

TransferOutline make_outline(const TransferSpec& spec) {
  check_algorithm(spec);
  TransferOutline outline{spec, {}, {}};
  switch (spec.kind) {
    case TransferKind::scatter:
    case TransferKind::gather:
      outline.of_root = tree_shape(spec) == TreeShape::flat ? TilesOfFlatTree(spec).all() : binomial_tree_of_root(spec);
      break;
    case TransferKind::broadcast:
      outline.of_root = broadcast(spec);
      break;
    case TransferKind::allgather:
      outline_allgather(outline);
      break;
    case TransferKind::exchange:
      outline_exchange(outline);
      break;
    case TransferKind::redistribute:
      outline_redistribution(outline);
      break;
  }
  return on_nodes(std::move(outline));
}

TransferOutline make_sketch(const TransferSpec& spec) {
  constexpr int sketched = 3;  // of a binomial tree: seven eighths of the bytes
  check_algorithm(spec);
  const bool is_flat = tree_shape(spec) == TreeShape::flat;
  TransferOutline sketch{spec, is_flat ? TilesOfFlatTree(spec).most() : binomial_tree_of_root(spec, sketched), {}};
  sketch.is_whole = false;
  return on_nodes(std::move(sketch));
}

/// The root copies its tile; without a halo, none is larger. Of a redistribution, what rank 0 keeps.
std::int64_t least_copied_bytes(const TransferSpec& spec) {
  if (spec.kind == TransferKind::redistribute) {
    const Rect kept =
        intersection(tile_of(spec.image.extent, spec.former, 0), tile_of(spec.image.extent, spec.grid, 0));
    return kept.pixels() * static_cast<std::int64_t>(spec.image.format.bytes());
  }
  const bool copies_tiles =
      spec.kind == TransferKind::scatter || spec.kind == TransferKind::gather || spec.kind == TransferKind::allgather;
  if (!copies_tiles) return 0;
  const Rect copied = grown(tile_of(spec.image.extent, spec.grid, 0), halo_along(spec), spec.image.extent);
  return copied.pixels() * static_cast<std::int64_t>(spec.image.format.bytes());
}

TransferSpec smallest_alike(const TransferSpec& exchange) {
  if (!exchange.grid.is_even()) return exchange;
  const bool is_mapped = exchange.grid.mapping.is_given();
  const auto block = is_mapped ? block_on_node(exchange.grid) : std::optional(NodeBlock{});
  if (!block) return exchange;
  const Parts x =
      shortened(Cut::columns(exchange.image.extent, exchange.grid), block->columns, exchange.exchanged.x > 0);
  const Parts y = shortened(Cut::rows(exchange.image.extent, exchange.grid), block->rows, exchange.exchanged.y > 0);
  TransferSpec smallest = exchange;
  smallest.grid = {x.count, y.count};
  if (is_mapped) smallest.grid.mapping = mapping_of_blocks(*block);
  smallest.image.extent = {x.size, y.size};
  return smallest;
}

}  // namespace tilewright
