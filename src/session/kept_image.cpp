#include "kept_image.hpp"

#include <fmt/format.h>

#include "tilewright/core/error.hpp"
#include "tilewright/core/raster.hpp"

namespace tilewright {

void KeptImage::move_to_root(std::shared_ptr<const Raster> pixels) {
  grid_.reset();
  pixels_ = std::move(pixels);
}

std::string KeptImage::describe() const {
  return grid_ ? fmt::format("kept image on {}", to_string(*grid_)) : "kept image";
}

Raster KeptImage::load(const Halo& /*halo*/) const {
  if (grid_ || !pixels_) throw InternalError(fmt::format("{}: its pixels are not here", describe()));
  return Raster::lent(pixels_);
}

std::string KeptImage::why_no_parts() const {
  return grid_ ? "" : "it is on the root";
}

/// All ranks know where it is, those without a tile included.
std::string KeptImage::identity() const {
  return describe();
}

std::vector<Work> KeptImage::part_work(const Extent& part) const {
  return {{"copy", shape_.format.type, 0, static_cast<double>(part.pixels() * shape_.format.channels)}};
}

void KeptImage::read_part(const Rect& area, const MutableView& target) const {
  if (!grid_ || !pixels_ || !pixels_->area().contains(area)) {
    throw InternalError(fmt::format("{}: that part is not on this rank", describe()));
  }
  copy_pixels(pixels_->view(), target, area);
}

}  // namespace tilewright
