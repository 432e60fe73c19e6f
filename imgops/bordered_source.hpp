// Pixels of a whole image and of what its border puts around it, one by one: what references read.
#pragma once

#include "convert_value.hpp"
#include "tilewright/core/border.hpp"
#include "tilewright/core/raster.hpp"

namespace tilewright {

struct BorderedSource {
  ConstView image;  ///< whole, its area beginning at (0, 0)
  Border border = Border::reflect101;
  double border_value = 0;

  /// The value at any place, as T. A constant border has its value in the image's own type.
  template <class T>
  [[nodiscard]] T value(std::int64_t x, std::int64_t y, int channel) const {
    const auto inside_x = border_index(x, image.area().width(), border);
    const auto inside_y = border_index(y, image.area().height(), border);
    return with_type(image.format().type, [&](auto tag) {
      using Stored = typename decltype(tag)::type;
      const bool inside = inside_x && inside_y;
      return static_cast<T>(inside ? image.at<Stored>(*inside_x, *inside_y)[channel]
                                   : convert_value_reference<Stored>(border_value));
    });
  }
};

}  // namespace tilewright
