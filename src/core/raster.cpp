#include "tilewright/core/raster.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "raster_memory.hpp"
#include "tilewright/core/rounding.hpp"

namespace tilewright {
namespace {

constexpr std::int64_t cache_line = 64;  // and the widest vector

std::byte* allocate(std::size_t bytes) {
  constexpr auto unit = static_cast<std::size_t>(cache_line);
  const std::size_t rounded = std::max(unit, rounded_up(bytes, unit));
  auto* data = static_cast<std::byte*>(std::aligned_alloc(unit, rounded));
  if (data == nullptr) throw std::bad_alloc();
  return data;
}

/// In bytes.
struct RowLayout {
  std::int64_t offset = 0;  ///< of the first pixel
  std::int64_t pitch = 0;
};

/// Kernels store past the caches from this size on, which takes aligned rows.
constexpr std::int64_t aligned_from_bytes = std::int64_t{16} << 20;
/// Processors take a load for one of what was stored just before if the lowest 12 bits of their addresses say so.
constexpr std::int64_t page = 4096;

/// Whether a row lies less than a cache line beyond the place in its page where the one above lies. What a kernel reads
/// of it then overlaps in part with what it has just written there, if its result has the same rows: it waits for each
/// of these stores, and takes up to 1.8 times as long.
bool is_mistaken_for_the_row_above(std::int64_t pitch) {
  const std::int64_t beyond = pitch % page;
  return pitch > page && beyond > 0 && beyond < cache_line;
}

/// Without gaps, if nothing speaks for them, for a message of whole rows is contiguous then.
RowLayout row_layout(const Rect& area, const Halo& halo, PixelFormat format) {
  const auto pixel = static_cast<std::int64_t>(format.bytes());
  const std::int64_t dense = padded(area, halo).width() * pixel;
  const bool is_aligned = dense * area.height() >= aligned_from_bytes || is_mistaken_for_the_row_above(dense);
  if (halo.x == 0 || !is_aligned) return {0, dense};
  const std::int64_t before = rounded_up(halo.x * pixel, cache_line);
  return {before - halo.x * pixel, rounded_up(before + (area.width() + halo.x) * pixel, cache_line)};
}

template <class T>
bool same_value(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  }
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

}  // namespace

Raster::Raster(const Rect& area, const Halo& halo, PixelFormat format)
    : area_(area), halo_(area.empty() ? Halo{} : halo), format_(format) {
  const RowLayout layout = row_layout(area, halo_, format);
  row_bytes_ = layout.pitch;
  offset_ = layout.offset;
  const auto needed = static_cast<std::size_t>(bytes());
  if (needed < smallest_kept_bytes) {
    data_.reset(allocate(needed));
    return;
  }
  const RasterMemory::Block block = raster_memory(needed).take(needed);
  data_ = std::unique_ptr<std::byte[], Free>(block.data, Free{nullptr, block.bytes});
}

void Raster::Free::operator()(std::byte* data) const {
  if (keeper) return;
  bytes == 0 ? std::free(data) : raster_memory(bytes).give_back({data, bytes});
}

Raster Raster::kept(std::byte* data, std::shared_ptr<const std::byte> keeper, const Rect& area, const Halo& halo,
                    PixelFormat format) {
  Raster raster;
  raster.area_ = area;
  raster.halo_ = halo;
  raster.format_ = format;
  raster.row_bytes_ = raster.stored().width() * static_cast<std::int64_t>(format.bytes());
  raster.data_ = std::unique_ptr<std::byte[], Free>(data, Free{std::move(keeper), 0});
  return raster;
}

Raster Raster::lent(std::shared_ptr<const std::byte> pixels, const Rect& area, const Halo& halo, PixelFormat format) {
  auto* const data = const_cast<std::byte*>(pixels.get());  // who lends a raster does not write to it
  Raster raster = kept(data, std::move(pixels), area, halo, format);
  raster.is_lent_ = true;
  return raster;
}

Raster Raster::placed(const std::shared_ptr<std::byte>& memory, const ImageShape& shape) {
  return kept(memory.get(), memory, rect_of(shape.extent), {}, shape.format);
}

Raster Raster::lent(const std::shared_ptr<const Raster>& pixels) {
  const Rect stored = pixels->stored();
  Raster raster =
      lent({pixels, pixels->view().bytes_at(stored.x0, stored.y0)}, pixels->area(), pixels->halo(), pixels->format());
  raster.row_bytes_ = pixels->row_bytes_;
  return raster;
}

std::int64_t raster_row_bytes(const Rect& area, const Halo& halo, PixelFormat format) {
  return row_layout(area, area.empty() ? Halo{} : halo, format).pitch;
}

std::int64_t raster_bytes(const Rect& area, const Halo& halo, PixelFormat format) {
  return area.empty() ? 0 : raster_row_bytes(area, halo, format) * padded(area, halo).height();
}

void Raster::touch() {
  std::memset(data_.get(), 1,  // some memories stream zeros faster than other values
              static_cast<std::size_t>(bytes()));
}

Raster Raster::copy(const Halo& halo) const {
  Raster result(area_, halo, format_);
  copy_pixels(view(), result.view(), area_);
  return result;
}

void copy_pixels(const ConstView& source, const MutableView& target, const Rect& area) {
  if (area.empty()) return;
  const std::size_t row_bytes = static_cast<std::size_t>(area.width()) * source.format().bytes();
  const auto has_no_gaps = [&](std::int64_t pitch) { return static_cast<std::size_t>(pitch) == row_bytes; };
  const bool whole_rows = has_no_gaps(source.row_bytes()) && has_no_gaps(target.row_bytes());
  if (whole_rows) {
    std::memcpy(target.bytes_at(area.x0, area.y0), source.bytes_at(area.x0, area.y0),
                row_bytes * static_cast<std::size_t>(area.height()));
    return;
  }
  for (std::int64_t y = area.y0; y < area.y1; ++y) {
    std::memcpy(target.bytes_at(area.x0, y), source.bytes_at(area.x0, y), row_bytes);
  }
}

bool same_pixels(const ConstView& a, const ConstView& b) {
  if (a.area() != b.area() || a.format() != b.format()) return false;
  return with_type(a.format().type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const std::int64_t values = a.area().width() * a.format().channels;
    for (std::int64_t y = a.area().y0; y < a.area().y1; ++y) {
      const T* row_a = a.at<T>(a.area().x0, y);
      const T* row_b = b.at<T>(b.area().x0, y);
      for (std::int64_t i = 0; i < values; ++i) {
        if (!same_value(row_a[i], row_b[i])) return false;
      }
    }
    return true;
  });
}

}  // namespace tilewright
