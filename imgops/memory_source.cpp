// Pixels in memory as a source.
#include <fmt/format.h>

#include "tilewright/imgops/files.hpp"

namespace tilewright {
namespace {

class MemoryImage final : public Source {
 public:
  MemoryImage(Raster pixels, std::string name)
      : pixels_(std::make_shared<const Raster>(std::move(pixels))), name_(std::move(name)) {}

  [[nodiscard]] std::string describe() const override { return name_; }
  [[nodiscard]] ImageShape shape() const override { return pixels_->shape(); }
  [[nodiscard]] bool is_resident() const override { return true; }
  [[nodiscard]] Raster load(const Halo& /*halo*/) const override { return Raster::lent(pixels_); }

 private:
  std::shared_ptr<const Raster> pixels_;
  std::string name_;
};

}  // namespace

std::shared_ptr<const Source> image_in_memory(Raster pixels, std::string name) {
  const Rect area = pixels.area();
  if (pixels.empty() || area.empty() || area.x0 != 0 || area.y0 != 0) {
    throw ParameterError(fmt::format("{}: an image in memory must begin at (0, 0) and have pixels, not cover {}", name,
                                     to_string(area)));
  }
  return std::make_shared<MemoryImage>(std::move(pixels), std::move(name));
}

}  // namespace tilewright
