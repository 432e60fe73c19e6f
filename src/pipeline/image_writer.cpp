// Rows collected for sinks that want whole images.
#include <utility>

#include "tilewright/pipeline/operator.hpp"

namespace tilewright {
namespace {

class CollectingWriter final : public ImageWriter {
 public:
  CollectingWriter(const Sink& sink, const ImageShape& image) : sink_(sink), image_(image) {}

  void put(const ConstView& rows) override { copy_pixels(rows, image_.view(), rows.area()); }
  void finish() override { sink_.store(std::as_const(image_).view()); }

 private:
  const Sink& sink_;
  Raster image_;
};

}  // namespace

std::unique_ptr<ImageWriter> Sink::open(const ImageShape& image) const {
  return std::make_unique<CollectingWriter>(*this, image);
}

}  // namespace tilewright
