// What sinks do that know of whole images alone: rows are collected for them.
#include <fmt/format.h>

#include <utility>

#include "tilewright/core/error.hpp"
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

std::unique_ptr<PartsOutput> Sink::open_parts(const ImageShape& image) const {
  throw InternalError(fmt::format("{} is not written in parts: {}", describe(), why_no_parts(image)));
}

std::unique_ptr<PartsOutput> Sink::open_probe() const {
  throw InternalError(fmt::format("{} is not written in parts", describe()));
}

void Sink::write_part(const std::string& /*place*/, const ImageShape& image, const ConstView& /*part*/) const {
  throw InternalError(fmt::format("{} is not written in parts: {}", describe(), why_no_parts(image)));
}

}  // namespace tilewright
