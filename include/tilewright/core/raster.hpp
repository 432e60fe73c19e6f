// Pixels in memory: a raster owns them, views look at them. Coordinates are those of the whole image.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <type_traits>

#include "tilewright/core/geometry.hpp"
#include "tilewright/core/pixel.hpp"

namespace tilewright {

/// A look at interleaved pixels in row-major order. `Byte` is std::byte or const std::byte.
template <class Byte>
class BasicView {
 public:
  BasicView() = default;
  /// `data` points to the pixel (stored.x0, stored.y0); rows are stored.width() pixels apart.
  BasicView(Byte* data, const Rect& stored, const Rect& area, PixelFormat format)
      : data_(data), stored_(stored), area_(area), format_(format) {}
  /// A view through which pixels may be written is also one through which they may be read.
  operator BasicView<const std::byte>() const  // NOLINT(google-explicit-constructor)
      requires(!std::is_const_v<Byte>) {
    return {data_, stored_, area_, format_};
  }

  /// The pixels this view is about: a tile without its halo, or a band of one.
  [[nodiscard]] const Rect& area() const { return area_; }
  /// All pixels that may be addressed: the area and the halo around it.
  [[nodiscard]] const Rect& stored() const { return stored_; }
  [[nodiscard]] const PixelFormat& format() const { return format_; }
  /// Values (channels counted) from one row to the next.
  [[nodiscard]] std::int64_t pitch() const { return stored_.width() * format_.channels; }

  /// Pointer to the first channel of pixel (x, y), which must lie in stored().
  template <class T>
  [[nodiscard]] auto* at(std::int64_t x, std::int64_t y) const {
    using Value = std::conditional_t<std::is_const_v<Byte>, const T, T>;
    return reinterpret_cast<Value*>(bytes_at(x, y));
  }
  [[nodiscard]] Byte* bytes_at(std::int64_t x, std::int64_t y) const {
    const std::int64_t pixel = (y - stored_.y0) * stored_.width() + (x - stored_.x0);
    return data_ + pixel * static_cast<std::int64_t>(format_.bytes());
  }

  /// The same pixels, narrowed to `area` (which must lie in stored()).
  [[nodiscard]] BasicView restricted(const Rect& area) const { return {data_, stored_, area, format_}; }

 private:
  Byte* data_ = nullptr;
  Rect stored_;
  Rect area_;
  PixelFormat format_;
};

using ConstView = BasicView<const std::byte>;
using MutableView = BasicView<std::byte>;

/// Owns the pixels of `area` and of a halo around it, or reads another's; rows without gaps: the pitch is the padded
/// width. Movable, not copyable by accident.
class Raster {
 public:
  Raster() = default;
  /// Pixels are not initialised.
  Raster(const Rect& area, const Halo& halo, PixelFormat format);
  Raster(const ImageShape& shape, const Halo& halo = {}) : Raster(rect_of(shape.extent), halo, shape.format) {}

  /// Pixels that somebody else has: `pixels` points to the first that is stored, and keeps them. They are only read.
  [[nodiscard]] static Raster lent(std::shared_ptr<const std::byte> pixels, const Rect& area, const Halo& halo,
                                   PixelFormat format);
  /// The same pixels.
  [[nodiscard]] static Raster lent(const std::shared_ptr<const Raster>& pixels);

  [[nodiscard]] bool empty() const { return data_ == nullptr; }
  [[nodiscard]] bool is_lent() const { return data_.get_deleter().lender != nullptr; }
  [[nodiscard]] const Rect& area() const { return area_; }
  [[nodiscard]] const Halo& halo() const { return halo_; }
  [[nodiscard]] Rect stored() const { return padded(area_, halo_); }
  [[nodiscard]] const PixelFormat& format() const { return format_; }
  /// Size and format of the area.
  [[nodiscard]] ImageShape shape() const { return {{area_.width(), area_.height()}, format_}; }
  [[nodiscard]] std::int64_t bytes() const { return stored().pixels() * static_cast<std::int64_t>(format_.bytes()); }
  /// What of them this raster owns: all or nothing.
  [[nodiscard]] std::int64_t owned_bytes() const { return is_lent() ? 0 : bytes(); }

  [[nodiscard]] ConstView view() const { return {data_.get(), stored(), area_, format_}; }
  [[nodiscard]] MutableView view() { return {data_.get(), stored(), area_, format_}; }
  template <class T>
  [[nodiscard]] const T* at(std::int64_t x, std::int64_t y) const {
    return view().at<T>(x, y);
  }
  template <class T>
  [[nodiscard]] T* at(std::int64_t x, std::int64_t y) {
    return view().at<T>(x, y);
  }

  /// A copy of the area with another halo, whose pixels are not initialised.
  [[nodiscard]] Raster copy(const Halo& halo = {}) const;

 private:
  struct Free {
    std::shared_ptr<const std::byte> lender;
    void operator()(std::byte* data) const {
      if (!lender) std::free(data);
    }
  };
  Rect area_;
  Halo halo_;
  PixelFormat format_;
  std::unique_ptr<std::byte[], Free> data_;
};

/// Copies the pixels of `area`, which both views store, in the same format.
void copy_pixels(const ConstView& source, const MutableView& target, const Rect& area);

/// True if both have the same shape and each value is the same, bit for bit; any NaN equals any NaN.
[[nodiscard]] bool same_pixels(const ConstView& a, const ConstView& b);

}  // namespace tilewright
