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
  /// On the root, whose `pixels` they are; made in that turn of the program's loops.
  KeptImage(const ImageShape& shape, std::shared_ptr<const Raster> pixels, int turn = 0)
      : shape_(shape), pixels_(std::move(pixels)), turn_(turn) {}
  /// On the tiles of the grid, `tile` being this rank's if it has one.
  KeptImage(const ImageShape& shape, ProcessGrid grid, std::shared_ptr<const Raster> tile, int turn = 0)
      : shape_(shape), grid_(std::move(grid)), pixels_(std::move(tile)), turn_(turn) {}

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
