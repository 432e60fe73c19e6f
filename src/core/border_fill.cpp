#include "tilewright/core/border_fill.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <vector>

namespace tilewright {
namespace {

template <class T>
T constant_of(double value) {
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(value);
  } else {
    const double top = std::numeric_limits<T>::max();
    return static_cast<T>(std::isnan(value) ? 0.0 : std::clamp(std::nearbyint(value), 0.0, top));
  }
}

/// The range of one direction: the tile's own pixels, with its halo, and the image's size.
struct Span {
  std::int64_t begin, end, padded_begin, padded_end, size;

  [[nodiscard]] bool whole() const { return begin == 0 && end == size; }
  [[nodiscard]] std::int64_t inside_begin() const { return std::max<std::int64_t>(padded_begin, 0); }
  [[nodiscard]] std::int64_t inside_end() const { return std::min(padded_end, size); }
};

/// Where a pixel outside the image has its value from, both counted from the beginning of the row in memory.
struct Origin {
  std::int64_t target;
  std::optional<std::int64_t> source;  ///< none: the constant
};

std::vector<Origin> origins_of(const Span& x, Border border) {
  std::vector<Origin> origins;
  for (std::int64_t i = x.padded_begin; i < x.padded_end; ++i) {
    if (i >= 0 && i < x.size) continue;
    const auto source = border_index(i, x.size, border);
    origins.push_back({i - x.padded_begin, source ? std::optional(*source - x.padded_begin) : std::nullopt});
  }
  return origins;
}

template <class T>
class Filler {
 public:
  Filler(const MutableView& view, Border border, double value)
      : view_(view), border_(border), constant_(constant_of<T>(value)), channels_(view.format().channels) {}

  /// Rows [first, last).
  void columns(const Span& x, std::int64_t first, std::int64_t last) const {
    const std::vector<Origin> origins = origins_of(x, border_);
    for (std::int64_t y = first; y < last; ++y) {
      T* row = view_.at<T>(x.padded_begin, y);
      for (const Origin& origin : origins) {
        for (int c = 0; c < channels_; ++c) {
          row[origin.target * channels_ + c] = origin.source ? row[*origin.source * channels_ + c] : constant_;
        }
      }
    }
  }

  void row(const Span& x, std::int64_t y, std::int64_t height) const {
    T* target = view_.at<T>(x.padded_begin, y);
    const std::int64_t values = (x.padded_end - x.padded_begin) * channels_;
    const auto source = border_index(y, height, border_);
    if (source) {
      std::memcpy(target, view_.at<T>(x.padded_begin, *source), static_cast<std::size_t>(values) * sizeof(T));
    } else {
      std::fill_n(target, values, constant_);
    }
  }

 private:
  MutableView view_;
  Border border_;
  T constant_;
  int channels_;
};

}  // namespace

double border_constant(PixelType type, double value) {
  return with_type(type,
                   [&](auto tag) { return static_cast<double>(constant_of<typename decltype(tag)::type>(value)); });
}

void fill_border(const MutableView& view, const Extent& image, const Halo& halo, Border border, double value) {
  const Rect area = view.area();
  const Span x{area.x0, area.x1, area.x0 - halo.x, area.x1 + halo.x, image.width};
  const Span y{area.y0, area.y1, area.y0 - halo.y, area.y1 + halo.y, image.height};
  const bool wrap = border == Border::wrap;
  const bool exchanged_x = wrap && !x.whole();  // a cyclic exchange has filled this direction
  const bool exchanged_y = wrap && !y.whole();

  with_type(view.format().type, [&](auto tag) {
    const Filler<typename decltype(tag)::type> filler(view, border, value);
    if (!exchanged_x) {
      const std::int64_t first = exchanged_y ? y.padded_begin : y.inside_begin();
      const std::int64_t last = exchanged_y ? y.padded_end : y.inside_end();
      filler.columns(x, first, last);
    }
    if (!exchanged_y) {
      for (std::int64_t row = y.padded_begin; row < y.inside_begin(); ++row) filler.row(x, row, image.height);
      for (std::int64_t row = y.inside_end(); row < y.padded_end; ++row) filler.row(x, row, image.height);
    }
  });
}

}  // namespace tilewright
