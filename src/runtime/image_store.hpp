// The pixels that this rank holds while a plan runs, counted.
#pragma once

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "tilewright/core/border.hpp"
#include "tilewright/core/raster.hpp"

namespace tilewright {

/// Counts bytes held and remembers the most.
class MemoryAccount {
 public:
  void take(std::int64_t bytes) {
    held_ += bytes;
    peak_ = std::max(peak_, held_);
  }
  void give_back(std::int64_t bytes) { held_ -= bytes; }
  /// For what is taken and given back within one step.
  void touch(std::int64_t bytes) { peak_ = std::max(peak_, held_ + bytes); }
  [[nodiscard]] std::int64_t peak() const { return peak_; }

 private:
  std::int64_t held_ = 0;
  std::int64_t peak_ = 0;
};

/// What fills the border of a tile now; filling it again with the same would change nothing.
struct BorderFill {
  Border border = Border::reflect101;
  double value = 0;
  Rect area = {};  ///< of this, what lies outside of the image has been filled
  [[nodiscard]] bool covers(const BorderFill& wanted) const {
    return border == wanted.border && value == wanted.value && area.contains(wanted.area);
  }
};

/// One image on this rank.
struct HeldImage {
  Raster whole;
  Raster tile;
  std::optional<BorderFill> tile_border;
  std::optional<BorderFill> whole_border;
};

class ImageStore {
 public:
  explicit ImageStore(std::size_t images) : images_(images) {}

  [[nodiscard]] HeldImage& at(int image) { return images_[static_cast<std::size_t>(image)]; }

  void put_whole(int image, Raster raster) {
    account_.take(raster.owned_bytes() - at(image).whole.owned_bytes());
    at(image).whole = std::move(raster);
    at(image).whole_border.reset();
  }
  void put_tile(int image, Raster raster) {
    account_.take(raster.bytes() - at(image).tile.bytes());
    at(image).tile = std::move(raster);
    at(image).tile_border.reset();
  }
  void release_whole(int image) {
    account_.give_back(at(image).whole.owned_bytes());
    at(image).whole = Raster();
  }
  void release_tile(int image) {
    account_.give_back(at(image).tile.bytes());
    at(image).tile = Raster();
  }
  /// Hands the whole image out; it stays counted.
  [[nodiscard]] Raster take_whole(int image) { return std::move(at(image).whole); }
  /// The same of the tile.
  [[nodiscard]] Raster take_tile(int image) { return std::move(at(image).tile); }

  [[nodiscard]] MemoryAccount& account() { return account_; }

 private:
  std::vector<HeldImage> images_;
  MemoryAccount account_;
};

}  // namespace tilewright
