#include "separable_filter.hpp"

#include "bands.hpp"
#include "row_convolution.hpp"
#include "separable_reference.hpp"

namespace tilewright {
namespace {

/// Pixels that are worked on at a time.
std::int64_t strip_width(const Correlation& y, PixelType computing, int channels) {
  return std::max<std::int64_t>(1, strip_values(y.size(), static_cast<std::int64_t>(bytes_of(computing))) / channels);
}

}  // namespace

ImageShape SeparableFilter::shape(std::span<const ImageShape> inputs) const {
  ImageShape result = inputs.front();
  result.format.type = computing_type(result.format.type);
  return result;
}

std::vector<Work> SeparableFilter::work(std::span<const ImageShape> inputs, const Extent& tile) const {
  const PixelFormat format = inputs.front().format;
  const auto taps_x = static_cast<double>(description_.x.size());
  const auto taps_y = static_cast<double>(description_.y.size());
  // The rows above and below the tile that the columns reach are convolved along x only.
  const double lead_in_rows = (taps_y - 1) * taps_x / (taps_x + taps_y);
  return {{"convolve_separable", format.type, taps_x + taps_y,
           static_cast<double>(tile.width * format.channels) * (static_cast<double>(tile.height) + lead_in_rows)}};
}

std::int64_t SeparableFilter::scratch_bytes(std::span<const ImageShape> inputs, const Extent& tile) const {
  const PixelFormat format = inputs.front().format;
  const PixelType type = computing_type(format.type);
  const std::int64_t values =
      std::min(tile.width, strip_width(description_.y, type, format.channels)) * format.channels;
  return with_type(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return RowConvolution<T>::scratch_bytes(description_.x, format.channels, values) +
           ColumnConvolution<T>::scratch_bytes(description_.y, values);
  });
}

template <class T>
void SeparableFilter::compute_band(const ConstView& source, const MutableView& target, const Rect& band) const {
  const int channels = source.format().channels;
  const std::int64_t width = std::min(band.width(), strip_width(description_.y, pixel_type_of<T>, channels));
  RowConvolution<T> rows(description_.x, channels, width * channels);
  ColumnConvolution<T> columns(description_.y, width * channels);
  for (std::int64_t x = band.x0; x < band.x1; x += width) {
    const std::int64_t values = std::min(width, band.x1 - x) * channels;
    std::int64_t next = band.y0 + description_.y.first;
    for (std::int64_t y = band.y0; y < band.y1; ++y) {
      for (; next <= y + description_.y.last(); ++next) rows.run(source, x, next, values, columns.row(next));
      columns.run(y, values, target.at<T>(x, y));
    }
  }
}

void SeparableFilter::compute(std::span<const ConstView> inputs, const MutableView& output,
                              const ComputeContext& context) const {
  for_each_band(output.area(), context.threads, [&](const Rect& band) {
    if (output.format().type == PixelType::f64) {
      compute_band<double>(inputs.front(), output, band);
    } else {
      compute_band<float>(inputs.front(), output, band);
    }
  });
}

void SeparableFilter::reference(std::span<const ConstView> inputs, const MutableView& output) const {
  const BorderedSource source{inputs.front(), description_.border, description_.border_value};
  if (output.format().type == PixelType::f64) {
    separable_reference<double>(source, description_.x, description_.y, output);
  } else {
    separable_reference<float>(source, description_.x, description_.y, output);
  }
}

}  // namespace tilewright
