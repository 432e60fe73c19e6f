#include "tilewright/transfers/subtrees.hpp"

#include <algorithm>
#include <utility>

#include "pitch.hpp"
#include "tree.hpp"

namespace tilewright {
namespace {

/// Parts of an evenly cut side that follow each other: the larger ones, by a pixel, come first.
struct Run {
  int parts = 1;
  int larger = 0;
  bool operator==(const Run&) const = default;
};

/// All that a subtree's messages depend on.
struct Shape {
  Run columns;
  Run rows;
  std::int64_t pitch_bytes = 0;  ///< from row to row where its first rank holds what it hands on
  bool operator==(const Shape&) const = default;
};

class Subtrees {
 public:
  explicit Subtrees(const TransferSpec& spec)
      : spec_(spec),
        column_width_(spec.image.extent.width / spec.grid.x),
        row_height_(spec.image.extent.height / spec.grid.y) {}

  [[nodiscard]] std::vector<Subtree> all() && {
    const ProcessGrid grid = handed_on(spec_.kind, spec_.grid);
    const Run columns{grid.x, static_cast<int>(spec_.image.extent.width % grid.x)};
    const Run rows{grid.y, static_cast<int>(spec_.image.extent.height % grid.y)};
    add({columns, rows, pitch_bytes_of(rect_of(spec_.image.extent), spec_)});
    return std::move(subtrees_);
  }

 private:
  /// Its index; that of one that is known, if there is one.
  int add(const Shape& shape) {
    if (shape.columns.parts * shape.rows.parts == 1) return -1;
    const auto known = std::find(shapes_.rbegin(), shapes_.rend(), shape);
    if (known != shapes_.rend()) return static_cast<int>(shapes_.rend() - known) - 1;
    Shape kept = shape;
    Shape given = shape;
    const Halves halves = halve({0, 0, shape.columns.parts, shape.rows.parts});
    part(shape.columns, halves.given.column0, kept.columns, given.columns);
    part(shape.rows, halves.given.row0, kept.rows, given.rows);
    const Rect area{0, 0, column_width_ * given.columns.parts + given.columns.larger,
                    row_height_ * given.rows.parts + given.rows.larger};
    given.pitch_bytes = is_broadcast() ? shape.pitch_bytes : pitch_bytes_of(area, spec_);
    Subtree subtree{form_of_message(area, shape, given)};
    subtree.kept = add(kept);
    subtree.given = add(given);
    shapes_.push_back(shape);
    subtrees_.push_back(subtree);
    return static_cast<int>(subtrees_.size()) - 1;
  }

  /// The first `parts` of them, and the others; 0: a side that is not parted.
  static void part(const Run& run, int parts, Run& first, Run& others) {
    if (parts == 0) return;
    first = {parts, std::min(parts, run.larger)};
    others = {run.parts - parts, std::max(0, run.larger - parts)};
  }

  [[nodiscard]] bool is_broadcast() const { return spec_.kind == TransferKind::broadcast; }

  /// A single tile lies where it belongs, more are on their way.
  [[nodiscard]] MessageForm form_of_message(const Rect& area, const Shape& holder, const Shape& given) const {
    if (is_broadcast()) {
      const Rect whole = rect_of(spec_.image.extent);
      return form_of(whole, holder.pitch_bytes, holder.pitch_bytes, spec_);
    }
    const bool is_tile = given.columns.parts * given.rows.parts == 1;
    const std::int64_t at_other = is_tile ? pitch_bytes_of_tile(area, spec_) : given.pitch_bytes;
    return spec_.kind == TransferKind::gather ? form_of(area, at_other, holder.pitch_bytes, spec_)
                                              : form_of(area, holder.pitch_bytes, at_other, spec_);
  }

  const TransferSpec& spec_;
  std::int64_t column_width_;  ///< of the smaller ones
  std::int64_t row_height_;
  std::vector<Shape> shapes_;
  std::vector<Subtree> subtrees_;
};

}  // namespace

std::optional<std::vector<Subtree>> subtrees_of(const TransferSpec& spec) {
  const bool is_binomial = goes_along_tree(spec.kind) && spec.algorithm == Algorithm::sbt;
  const bool has_halo_along = spec.kind == TransferKind::scatter && !spec.exchanged.empty();
  if (!is_binomial || has_halo_along || !spec.grid.is_even() || spec.grid.mapping.is_given()) return std::nullopt;
  return Subtrees(spec).all();
}

}  // namespace tilewright
