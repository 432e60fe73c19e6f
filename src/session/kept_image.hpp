// An image that a segment has computed for those that come after it.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "tilewright/pipeline/operator.hpp"

namespace tilewright {

/// On the root, or on the tiles of a grid; the same on all ranks. Its name does not tell one from another, so that the
/// next turn of a loop is a segment like this one. Of a dry run it has no pixels.
class KeptImage final : public Source {
 public:
  /// On the tiles of the grid, or without one on the root. `pixels` are this rank's, if it has any: its tile, or the
  /// whole image. Made in that turn of the program's loops.
  KeptImage(const ImageShape& shape, std::optional<ProcessGrid> grid, std::shared_ptr<const Raster> pixels,
            int turn = 0)
      : shape_(shape), grid_(std::move(grid)), pixels_(std::move(pixels)), turn_(turn) {}

  [[nodiscard]] int turn() const { return turn_; }

  /// From now on it is on the root, whose `pixels` they are.
  void move_to_root(std::shared_ptr<const Raster> pixels);

  [[nodiscard]] std::string describe() const override;
  [[nodiscard]] ImageShape shape() const override { return shape_; }
  [[nodiscard]] bool is_resident() const override { return !grid_; }
  [[nodiscard]] Raster load(const Halo& halo) const override;
  [[nodiscard]] std::optional<ProcessGrid> tiled_on() const override { return grid_; }
  /// Of its tiles.
  [[nodiscard]] std::string why_no_parts() const override;
  [[nodiscard]] std::string identity() const override;
  [[nodiscard]] std::vector<Work> part_work(const Extent& part) const override;
  void read_part(const Rect& area, const MutableView& target) const override;

 private:
  ImageShape shape_;
  std::optional<ProcessGrid> grid_;
  std::shared_ptr<const Raster> pixels_;  ///< this rank's: the whole image, or its tile
  int turn_;
};

}  // namespace tilewright
