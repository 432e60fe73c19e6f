#include <fmt/format.h>

#include "tilewright/core/error.hpp"
#include "tilewright/pipeline/operator.hpp"

namespace tilewright {

void Source::load_into(const MutableView& target) const {
  const Raster loaded = load({});
  const ImageShape expected{{target.area().width(), target.area().height()}, target.format()};
  if (loaded.shape() != expected) {
    throw RuntimeError(fmt::format("{} has changed: it was {}, and is now {}", describe(), to_string(expected),
                                   to_string(loaded.shape())));
  }
  copy_pixels(loaded.view(), target, target.area());
}

void Source::read_part(const Rect& /*area*/, const MutableView& /*target*/) const {
  throw InternalError(fmt::format("{} is not read in parts: {}", describe(), why_no_parts()));
}

}  // namespace tilewright
