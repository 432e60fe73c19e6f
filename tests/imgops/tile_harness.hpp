// Computes an operator tile by tile, as ranks do, from halo-padded tiles cut out of whole images.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "test_images.hpp"
#include "tilewright/core/border_fill.hpp"
#include "tilewright/core/grid.hpp"

namespace tilewright::test {

/// Who says what stands outside of the image.
enum class Outside {
  border_index,  ///< this file, pixel by pixel
  fill_border,   ///< core's fill_border(), from what the tile stores
  made_up        ///< the operator, if it makes the border: nothing outside is stored
};

inline std::string name_of(Outside outside) {
  if (outside == Outside::made_up) return ", border made up, ";
  return outside == Outside::fill_border ? ", fill_border, " : ", ";
}

struct Cut {
  ProcessGrid grid;
  Outside outside = Outside::border_index;
  int threads = 1;
  Halo surplus = {};  ///< storage beyond the operator's halo, as other operators may need it
};

class TileMaker {
 public:
  TileMaker(const Operator& op, const Raster& whole, const Cut& cut) : op_(op), whole_(whole), cut_(cut) {}

  [[nodiscard]] Raster tile(const Rect& area) const {
    const Halo halo = op_.halo();
    Raster tile(area, {halo.x + cut_.surplus.x, halo.y + cut_.surplus.y}, whole_.format());
    poison(tile);
    with_type(whole_.format().type, [&](auto tag) { fill<typename decltype(tag)::type>(tile, padded(area, halo)); });
    if (leaves_outside() && !is_made_up()) {
      fill_border(tile.view(), whole_.shape().extent, halo, op_.border(), op_.border_value());
    }
    return tile;
  }

  /// What the operator gets to see of a tile.
  [[nodiscard]] ConstView view(const Raster& tile) const {
    if (!is_made_up()) return tile.view();
    const Extent extent = whole_.shape().extent;
    Rect known = intersection(tile.stored(), rect_of(extent));
    if (place(-1, extent.width, tile.area().width()) == Place::exchanged) {
      known.x0 = tile.stored().x0, known.x1 = tile.stored().x1;
    }
    if (place(-1, extent.height, tile.area().height()) == Place::exchanged) {
      known.y0 = tile.stored().y0, known.y1 = tile.stored().y1;
    }
    return tile.view().stored_within(known);
  }

 private:
  [[nodiscard]] bool leaves_outside() const { return cut_.outside != Outside::border_index; }
  [[nodiscard]] bool is_made_up() const { return cut_.outside == Outside::made_up && op_.makes_border(); }

  /// Of one direction.
  enum class Place { inside, outside, exchanged };

  [[nodiscard]] Place place(std::int64_t index, std::int64_t size, std::int64_t tile_size) const {
    if (index >= 0 && index < size) return Place::inside;
    return op_.border() == Border::wrap && tile_size < size ? Place::exchanged : Place::outside;
  }

  /// All that is read; but if fill_border() is to fill the rest, only what is inside or a cyclic exchange would bring.
  template <class T>
  void fill(Raster& tile, const Rect& read) const {
    const Extent extent = whole_.shape().extent;
    const bool leave_outside = leaves_outside();
    const int channels = whole_.format().channels;
    for (std::int64_t y = read.y0; y < read.y1; ++y) {
      if (leave_outside && place(y, extent.height, tile.area().height()) == Place::outside) continue;
      const auto from_y = border_index(y, extent.height, op_.border());
      for (std::int64_t x = read.x0; x < read.x1; ++x) {
        if (leave_outside && place(x, extent.width, tile.area().width()) == Place::outside) continue;
        const auto from_x = border_index(x, extent.width, op_.border());
        T* target = tile.at<T>(x, y);
        if (from_x && from_y) {
          std::copy_n(whole_.at<T>(*from_x, *from_y), channels, target);
        } else {
          std::fill_n(target, channels, constant<T>());
        }
      }
    }
  }

  template <class T>
  [[nodiscard]] T constant() const {
    if constexpr (std::is_floating_point_v<T>) {
      return static_cast<T>(op_.border_value());
    } else {
      const double top = std::numeric_limits<T>::max();
      return static_cast<T>(std::clamp(std::nearbyint(op_.border_value()), 0.0, top));
    }
  }

  const Operator& op_;
  const Raster& whole_;
  Cut cut_;
};

/// All results of an operator on whole images, computed together on the tiles of a grid.
inline std::vector<Raster> computed_results(const Operator& op, const std::vector<const Raster*>& wholes,
                                            const Cut& cut) {
  std::vector<ImageShape> shapes;
  for (const Raster* whole : wholes) shapes.push_back(whole->shape());
  std::vector<Raster> results;
  for (const ImageShape& shape : op.shapes(shapes)) poison(results.emplace_back(shape));
  for (int rank = 0; rank < cut.grid.ranks(); ++rank) {
    const Rect area = tile_of(shapes.front().extent, cut.grid, rank);
    if (area.empty()) continue;
    std::vector<Raster> tiles;
    std::vector<ConstView> inputs;
    for (const Raster* whole : wholes) {
      const TileMaker maker(op, *whole, cut);
      tiles.push_back(maker.tile(area));
      inputs.push_back(maker.view(tiles.back()));
    }
    std::vector<Raster> made;
    std::vector<MutableView> views;
    for (const Raster& result : results) {
      poison(made.emplace_back(area, cut.surplus, result.format()));
      views.push_back(made.back().view());
    }
    op.compute_all(inputs, views, {cut.threads});
    for (std::size_t i = 0; i < made.size(); ++i) copy_pixels(made[i].view(), results[i].view(), area);
  }
  return results;
}

/// The image, computed on the tiles of a grid.
inline Raster computed(const Image& image, const Cut& cut) {
  const std::vector<Raster> inputs = inputs_of(image);
  std::vector<const Raster*> wholes;
  for (const Raster& input : inputs) wholes.push_back(&input);
  return std::move(computed_results(*image.node()->op, wholes, cut).front());
}

inline std::vector<Cut> all_cuts() {
  std::vector<Cut> cuts;
  for (const ProcessGrid& grid : {ProcessGrid{1, 1}, {1, 3}, {4, 1}, {2, 2}, {3, 5}, {2, 3, {1, 3}, {3, 2, 4}}}) {
    for (const Outside outside : {Outside::border_index, Outside::fill_border, Outside::made_up}) {
      cuts.push_back({grid, outside, 1, {grid.x - 1, 2 * grid.y - 2}});
    }
  }
  cuts.push_back({{1, 1}, Outside::border_index, 3});
  cuts.push_back({{1, 1}, Outside::made_up, 3});
  cuts.push_back({{2, 1}, Outside::border_index, 3, {1, 0}});
  return cuts;
}

/// For the levels besides the best.
inline std::vector<Cut> few_cuts() {
  return {{{1, 1}}, {{3, 2}}, {{2, 1}, Outside::made_up}};
}

/// Expects compute() to equal reference(), bit for bit, however the image is cut, at every vector level.
inline void expect_same_as_reference(const Image& image) {
  for (const SimdLevel level : simd_levels()) {
    const WithSimdLevel selected(level);
    const Raster wanted = referenced(image);  // a level may round a multiplication and an addition together
    for (const Cut& cut : level == best_simd_level() ? all_cuts() : few_cuts()) {
      const Raster found = computed(image, cut);
      EXPECT_TRUE(same_pixels(wanted.view(), found.view()))
          << image.node()->op->describe() << " of " << to_string(inputs_of(image).front().shape()) << " on grid "
          << to_string(cut.grid) << name_of(cut.outside) << cut.threads << " threads, " << to_string(level);
    }
  }
}

}  // namespace tilewright::test
