// Pixels in memory: a raster owns them, views look at them. Coordinates are those of the whole image.
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

#include "tilewright/core/geometry.hpp"
#include "tilewright/core/pixel.hpp"

namespace tilewright {

/// A look at interleaved pixels in row-major order. `Byte` is std::byte or const std::byte.
template <class Byte>
class BasicView {
 public:
  BasicView() = default;
  /// `data` points to the pixel (stored.x0, stored.y0); rows are `row_bytes` apart.
  BasicView(Byte* data, const Rect& stored, const Rect& area, PixelFormat format, std::int64_t row_bytes)
      : data_(data), stored_(stored), area_(area), format_(format), row_bytes_(row_bytes) {}
  /// Rows without gaps.
  BasicView(Byte* data, const Rect& stored, const Rect& area, PixelFormat format)
      : BasicView(data, stored, area, format, stored.width() * static_cast<std::int64_t>(format.bytes())) {}
  /// A view through which pixels may be written is also one through which they may be read.
  operator BasicView<const std::byte>() const  // NOLINT(google-explicit-constructor)
      requires(!std::is_const_v<Byte>) {
    return {data_, stored_, area_, format_, row_bytes_};
  }

  /// The pixels this view is about: a tile without its halo, or a band of one.
  [[nodiscard]] const Rect& area() const { return area_; }
  /// All pixels that may be addressed: the area and the halo around it.
  [[nodiscard]] const Rect& stored() const { return stored_; }
  [[nodiscard]] const PixelFormat& format() const { return format_; }
  /// Values (channels counted) from one row to the next.
  [[nodiscard]] std::int64_t pitch() const { return row_bytes_ / static_cast<std::int64_t>(bytes_of(format_.type)); }
  /// Bytes from one row to the next.
  [[nodiscard]] std::int64_t row_bytes() const { return row_bytes_; }

  /// Pointer to the first channel of pixel (x, y), which must lie in stored().
  template <class T>
  [[nodiscard]] auto* at(std::int64_t x, std::int64_t y) const {
    using Value = std::conditional_t<std::is_const_v<Byte>, const T, T>;
    return reinterpret_cast<Value*>(bytes_at(x, y));
  }
  [[nodiscard]] Byte* bytes_at(std::int64_t x, std::int64_t y) const {
    return data_ + (y - stored_.y0) * row_bytes_ + (x - stored_.x0) * static_cast<std::int64_t>(format_.bytes());
  }

  /// The same pixels, narrowed to `area` (which must lie in stored()).
  [[nodiscard]] BasicView restricted(const Rect& area) const { return {data_, stored_, area, format_, row_bytes_}; }
  /// The same area, where no more than `stored` (which must lie in stored()) may be addressed.
  [[nodiscard]] BasicView stored_within(const Rect& stored) const {
    return {bytes_at(stored.x0, stored.y0), stored, area_, format_, row_bytes_};
  }

 private:
  Byte* data_ = nullptr;
  Rect stored_;
  Rect area_;
  PixelFormat format_;
  std::int64_t row_bytes_ = 0;
};

using ConstView = BasicView<const std::byte>;
using MutableView = BasicView<std::byte>;

/// Bytes from one row of a raster to the next, whatever the halo above and below.
[[nodiscard]] std::int64_t raster_row_bytes(const Rect& area, const Halo& halo, PixelFormat format);

/// Memory that a raster takes, in bytes. Of no pixels none, whatever the halo.
[[nodiscard]] std::int64_t raster_bytes(const Rect& area, const Halo& halo, PixelFormat format);

/// Owns the pixels of `area` and of a halo around it, or reads another's. Rows have no gaps between them, but where the
/// halo of a large raster would keep rows of the area from beginning at a cache line: then there is a little before and
/// behind each. Movable, not copyable by accident.
class Raster {
 public:
  Raster() = default;
  /// Pixels are not initialised. Without any, there is no halo.
  Raster(const Rect& area, const Halo& halo, PixelFormat format);
  Raster(const ImageShape& shape, const Halo& halo = {}) : Raster(rect_of(shape.extent), halo, shape.format) {}

  /// Pixels that somebody else has, in rows without gaps: `pixels` points to the first that is stored, and keeps them.
  /// They are only read.
  [[nodiscard]] static Raster lent(std::shared_ptr<const std::byte> pixels, const Rect& area, const Halo& halo,
                                   PixelFormat format);
  /// The same pixels.
  [[nodiscard]] static Raster lent(const std::shared_ptr<const Raster>& pixels);
  /// Pixels of its own, in rows without gaps, in memory that others see, too: `memory` points to the first, and keeps
  /// them.
  [[nodiscard]] static Raster placed(const std::shared_ptr<std::byte>& memory, const ImageShape& shape);

  [[nodiscard]] bool empty() const { return data_ == nullptr; }
  [[nodiscard]] bool is_lent() const { return is_lent_; }
  [[nodiscard]] const Rect& area() const { return area_; }
  [[nodiscard]] const Halo& halo() const { return halo_; }
  [[nodiscard]] Rect stored() const { return padded(area_, halo_); }
  [[nodiscard]] const PixelFormat& format() const { return format_; }
  /// Size and format of the area.
  [[nodiscard]] ImageShape shape() const { return {{area_.width(), area_.height()}, format_}; }
  [[nodiscard]] std::int64_t bytes() const { return row_bytes_ * stored().height(); }
  /// What of them this raster owns: all or nothing.
  [[nodiscard]] std::int64_t owned_bytes() const { return is_lent() ? 0 : bytes(); }

  [[nodiscard]] ConstView view() const { return {data_.get() + offset_, stored(), area_, format_, row_bytes_}; }
  [[nodiscard]] MutableView view() { return {data_.get() + offset_, stored(), area_, format_, row_bytes_}; }
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
  /// Writes all of its memory, so that the system has handed it out.
  void touch();

 private:
  struct Free {
    Free() : Free(nullptr, 0) {}
    Free(std::shared_ptr<const std::byte> of_another, std::size_t own) : keeper(std::move(of_another)), bytes(own) {}
    void operator()(std::byte* data) const;
    std::shared_ptr<const std::byte> keeper;  ///< of memory that is not this raster's
    std::size_t bytes;                        ///< of a block of its own; 0: of malloc
  };
  /// In memory that another keeps.
  [[nodiscard]] static Raster kept(std::byte* data, std::shared_ptr<const std::byte> keeper, const Rect& area,
                                   const Halo& halo, PixelFormat format);
  Rect area_;
  Halo halo_;
  PixelFormat format_;
  std::int64_t row_bytes_ = 0;
  std::int64_t offset_ = 0;  ///< bytes before the first pixel
  bool is_lent_ = false;
  std::unique_ptr<std::byte[], Free> data_;
};

/// Copies the pixels of `area`, which both views store, in the same format.
void copy_pixels(const ConstView& source, const MutableView& target, const Rect& area);

/// True if both have the same shape and each value is the same, bit for bit; any NaN equals any NaN.
[[nodiscard]] bool same_pixels(const ConstView& a, const ConstView& b);

}  // namespace tilewright
