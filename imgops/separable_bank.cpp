#include "separable_bank.hpp"

#include <hwy/cache_control.h>

#include <algorithm>
#include <array>

#include "tilewright/core/rounding.hpp"

namespace tilewright {
namespace {

constexpr std::int64_t rows_ahead = 4;  ///< that a source row is prefetched before it is read

/// What all filters of a bank reach together.
struct Reach {
  std::int64_t first_x = 0, last_x = 0, first_y = 0, last_y = 0;
  std::size_t row_kernels = 0;
};

Reach reach_of(std::span<const SeparableKernels> filters) {
  Reach reach{filters.front().x.first, filters.front().x.last(), filters.front().y.first, filters.front().y.last(), 0};
  for (std::size_t i = 0; i < filters.size(); ++i) {
    reach.first_x = std::min(reach.first_x, filters[i].x.first);
    reach.last_x = std::max(reach.last_x, filters[i].x.last());
    reach.first_y = std::min(reach.first_y, filters[i].y.first);
    reach.last_y = std::max(reach.last_y, filters[i].y.last());
    const auto earlier = filters.subspan(0, i);
    const bool is_new =
        std::none_of(earlier.begin(), earlier.end(), [&](const auto& other) { return other.x == filters[i].x; });
    if (is_new) ++reach.row_kernels;
  }
  return reach;
}

std::int64_t ring_rows_of(const Reach& reach) {
  return reach.last_y - reach.first_y + rows_a_pass;
}

/// Pixels of a row that are worked on at a time, so that the ring stays in a near cache. Those of the last strip may be
/// fewer, unless they are so few, and so large a part of the row, that strips which are alike take less time.
std::int64_t strip_of(const Reach& reach, std::int64_t value_bytes, int channels, std::int64_t width) {
  constexpr std::int64_t ring_bytes = 384 * 1024;
  constexpr std::int64_t block = 128;   // values of the largest, a part of which takes as long as all
  constexpr std::int64_t fewest = 256;  // shorter rows would be mostly overhead
  constexpr std::int64_t most = 4096;
  constexpr std::int64_t small_part = 8;  // of a row: an eighth
  const std::int64_t rows = ring_rows_of(reach) * static_cast<std::int64_t>(reach.row_kernels);
  const std::int64_t fitting = std::clamp(ring_bytes / (rows * value_bytes), fewest, most) / block * block;
  const std::int64_t values = width * channels;
  const std::int64_t left = values % fitting;
  const bool is_short = left < fewest && left * small_part > values;
  const std::int64_t strips = rounded_up(values, fitting) / fitting;
  const std::int64_t strip = is_short ? rounded_up(rounded_up(values, strips) / strips, block) : fitting;
  return std::min(width, std::max<std::int64_t>(1, strip / channels));
}

/// An odd number of cache lines: rows a power of two apart would compete for the same cache sets.
std::int64_t ring_pitch(std::int64_t values, std::int64_t value_bytes) {
  const std::int64_t line = 64 / value_bytes;
  const std::int64_t lines = rounded_up(values, line) / line;
  return (lines + 1 - lines % 2) * line;
}

/// Where each row of a piece begins.
template <class T>
std::array<T*, rows_a_pass> rows_of(const MutableView& target, const Rect& piece) {
  std::array<T*, rows_a_pass> rows{};
  for (std::int64_t r = 0; r < piece.height(); ++r) {
    rows[static_cast<std::size_t>(r)] = target.at<T>(piece.x0, piece.y0 + r);
  }
  return rows;
}

}  // namespace

template <class T>
SeparableBank<T>::SeparableBank(std::span<const SeparableKernels> filters, const BorderRule& rule, int channels,
                                std::int64_t width)
    : rule_(rule), channels_(channels) {
  const Reach reach = reach_of(filters);
  first_x_ = reach.first_x, last_x_ = reach.last_x, first_y_ = reach.first_y, last_y_ = reach.last_y;
  strip_ = strip_of(reach, sizeof(T), channels, width);
  ring_rows_ = ring_rows_of(reach);
  std::vector<Correlation> along_x;
  for (const SeparableKernels& filter : filters) {
    const auto known = std::find(along_x.begin(), along_x.end(), filter.x);
    columns_.push_back({folded<T>(filter.y), static_cast<std::size_t>(known - along_x.begin())});
    if (known == along_x.end()) along_x.push_back(filter.x);
  }
  for (const Correlation& kernel : along_x) row_kernels_.push_back(folded<T>(kernel));
  make_passes();
  find_partners();
  const auto kernels = static_cast<std::int64_t>(row_kernels_.size());
  ring_ = Raster(Rect{0, 0, ring_pitch(strip_ * channels, sizeof(T)), ring_rows_ * kernels}, Halo{},
                 PixelFormat{pixel_type_of<T>, 1});
  read_.resize(static_cast<std::size_t>((strip_ + last_x_ - first_x_) * channels));
  rows_of_.assign(row_kernels_.size(), std::vector<const T*>(static_cast<std::size_t>(2 * ring_rows_), nullptr));
}

/// Kernels of one centre share a pass, the shortest first: each the last one with room for it, for what they have in
/// common is as long as the shortest.
template <class T>
void SeparableBank<T>::make_passes() {
  std::vector<std::size_t> order(row_kernels_.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return row_kernels_[a].size < row_kernels_[b].size; });
  const auto has_room = [&](const RowPass<T>& pass, const FoldedKernel<T>& kernel) {
    const auto& alike = kernel.symmetry == Symmetry::even ? pass.even : pass.odd;
    const FoldedKernel<T>* any =
        !pass.even.empty() ? pass.even.front() : (!pass.odd.empty() ? pass.odd.front() : nullptr);
    return any != nullptr && alike.size() < most_alike_in_a_pass && any->innermost_left() == kernel.innermost_left() &&
           any->innermost_right() == kernel.innermost_right();
  };
  for (const std::size_t i : order) {
    const FoldedKernel<T>& kernel = row_kernels_[i];
    if (kernel.symmetry == Symmetry::none) {
      passes_.push_back({{}, {}, &kernel, {}, {}, nullptr});
      continue;
    }
    const auto last =
        std::find_if(passes_.rbegin(), passes_.rend(), [&](const auto& other) { return has_room(other, kernel); });
    RowPass<T>* const pass = last != passes_.rend() ? &*last : &passes_.emplace_back();
    (kernel.symmetry == Symmetry::even ? pass->even : pass->odd).push_back(&kernel);
  }
  for (RowPass<T>& pass : passes_) {
    pass.even_out.resize(pass.even.size());
    pass.odd_out.resize(pass.odd.size());
  }
}

template <class T>
void SeparableBank<T>::find_partners() {
  for (Column& odd : columns_) {
    const auto even = std::find_if(columns_.begin(), columns_.end(), [&](const Column& other) {
      return !other.is_partner && other.row_kernel == odd.row_kernel && go_down_together(odd.kernel, other.kernel);
    });
    if (even == columns_.end()) continue;
    odd.partner = static_cast<std::size_t>(even - columns_.begin());
    even->is_partner = true;
  }
}

template <class T>
std::size_t SeparableBank<T>::slot(std::int64_t y) const {
  return static_cast<std::size_t>((y % ring_rows_ + ring_rows_) % ring_rows_);
}

/// An image with fewer rows than the ring is kept whole: beyond its edges its rows come again, up to thousands of times
/// under a kernel larger than the image.
template <class T>
void SeparableBank<T>::begin_strip(const ConstView& source) {
  const std::int64_t rows = source.stored().height();
  is_convolved_.clear();
  if (rows < ring_rows_) {
    is_convolved_.assign(static_cast<std::size_t>(rows + 1), false);  // and that of the border
    return;
  }
  for (std::size_t i = 0; i < static_cast<std::size_t>(ring_rows_); ++i) point_to(i, i);
}

/// The row in that slot is the one in that place of the ring.
template <class T>
void SeparableBank<T>::point_to(std::size_t row_slot, std::size_t place) {
  for (std::size_t kernel = 0; kernel < row_kernels_.size(); ++kernel) {
    rows_of_[kernel][row_slot] = ring_row(kernel, place);
    rows_of_[kernel][row_slot + static_cast<std::size_t>(ring_rows_)] = ring_row(kernel, place);
  }
}

template <class T>
T* SeparableBank<T>::ring_row(std::size_t kernel, std::size_t place) {
  return ring_.at<T>(0, static_cast<std::int64_t>(kernel) * ring_rows_ + static_cast<std::int64_t>(place));
}

template <class T>
void SeparableBank<T>::bring_row(const BorderedRows<T>& source, std::int64_t y, std::int64_t values) {
  const std::size_t row_slot = slot(y);
  if (is_convolved_.empty()) {
    convolve_source_row(source.row(y, read_.data()), row_slot, values);
    return;
  }
  const auto border = static_cast<std::int64_t>(is_convolved_.size()) - 1;
  const auto place = static_cast<std::size_t>(source.source_row(y).value_or(border));
  point_to(row_slot, place);
  if (is_convolved_[place]) return;
  convolve_source_row(source.row(y, read_.data()), place, values);
  is_convolved_[place] = true;
}

template <class T>
void SeparableBank<T>::convolve_source_row(const T* values_of_row, std::size_t place, std::int64_t values) {
  const T* row = values_of_row - first_x_ * channels_;
  const auto out = [&](const FoldedKernel<T>* kernel) {
    return ring_row(static_cast<std::size_t>(kernel - row_kernels_.data()), place);
  };
  for (RowPass<T>& pass : passes_) {
    std::transform(pass.even.begin(), pass.even.end(), pass.even_out.begin(), out);
    std::transform(pass.odd.begin(), pass.odd.end(), pass.odd_out.begin(), out);
    if (pass.other != nullptr) pass.other_out = out(pass.other);
    convolve_row(row, pass, channels_, values);
  }
}

template <class T>
bool SeparableBank<T>::comes_from_memory(const ConstView& source) {
  constexpr std::int64_t cached_bytes = std::int64_t{2} << 20;
  const std::int64_t bytes = source.stored().pixels() * static_cast<std::int64_t>(source.format().bytes());
  return source.format().type == pixel_type_of<T> && bytes > cached_bytes;
}

/// The processor foresees a row, but not that the strip goes on in the next one. Rows that come from memory are fetched
/// a little with each block of another one, for many requests at once would hold up all other loads; rows from a cache
/// are quicker fetched at once. A kernel without symmetry does not fetch.
template <class T>
void SeparableBank<T>::prefetch(const ConstView& source, std::int64_t x, std::int64_t y, std::int64_t width) {
  RowPass<T>& first = passes_.front();
  first.ahead = nullptr;
  const Rect& stored = source.stored();
  if (y < stored.y0 || y >= stored.y1) return;
  if (first.other == nullptr && comes_from_memory(source)) {
    first.ahead = source.at<T>(x, y);
    return;
  }
  const std::int64_t begin = std::max(x + first_x_, stored.x0);
  const std::int64_t end = std::min(x + width + last_x_, stored.x1);
  const std::byte* row = source.bytes_at(begin, y);
  const std::int64_t bytes = (end - begin) * static_cast<std::int64_t>(source.format().bytes());
  for (std::int64_t i = 0; i < bytes; i += cache_line) hwy::Prefetch(row + i);
}

template <class T>
void SeparableBank<T>::emit(const Rect& piece, PieceSink& sink, Storing storing) {
  const std::span<const MutableView> targets = sink.targets(piece);
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (!columns_[i].is_partner) emit_column(i, piece, targets, storing);
  }
  sink.done(piece);
}

/// With its partner, if it has one.
template <class T>
void SeparableBank<T>::emit_column(std::size_t index, const Rect& piece, std::span<const MutableView> targets,
                                   Storing storing) {
  const Column& column = columns_[index];
  const std::int64_t values = piece.width() * channels_;
  const T* const* rows = rows_of_[column.row_kernel].data() + slot(piece.y0 + column.kernel.first);
  const auto out = rows_of<T>(targets[index], piece);
  if (!column.partner) {
    convolve_columns(rows, column.kernel, out.data(), piece.height(), values, storing);
    return;
  }
  const auto partners_out = rows_of<T>(targets[*column.partner], piece);
  const TwoColumns<T> two{column.kernel, columns_[*column.partner].kernel, out.data(), partners_out.data()};
  convolve_two_columns(rows, two, piece.height(), values, storing);
}

template <class T>
void SeparableBank<T>::run(const ConstView& source, const Rect& area, PieceSink& sink, Storing storing) {
  BorderedRows<T> rows(source, rule_);
  for (std::int64_t x = area.x0; x < area.x1; x += strip_) {
    const std::int64_t width = std::min(strip_, area.x1 - x);
    rows.select(x + first_x_, width + last_x_ - first_x_);
    begin_strip(source);
    std::int64_t next = area.y0 + first_y_;
    for (std::int64_t y = area.y0; y < area.y1; y += rows_a_pass) {
      const Rect piece{x, y, x + width, std::min(y + rows_a_pass, area.y1)};
      for (; next < piece.y1 + last_y_; ++next) {
        prefetch(source, x, next + rows_ahead, width);
        bring_row(rows, next, width * channels_);
      }
      emit(piece, sink, storing);
    }
  }
  if (storing == Storing::streamed) finish_streaming();
}

template <class T>
Extent SeparableBank<T>::largest_piece(std::span<const SeparableKernels> filters, int channels, std::int64_t width) {
  return {strip_of(reach_of(filters), sizeof(T), channels, width), rows_a_pass};
}

template <class T>
std::int64_t SeparableBank<T>::scratch_bytes(std::span<const SeparableKernels> filters, int channels,
                                             std::int64_t width) {
  const Reach reach = reach_of(filters);
  const auto value_bytes = static_cast<std::int64_t>(sizeof(T));
  const std::int64_t strip = strip_of(reach, value_bytes, channels, width);
  const std::int64_t ring = ring_pitch(strip * channels, value_bytes) * ring_rows_of(reach) *
                            static_cast<std::int64_t>(reach.row_kernels) * value_bytes;
  const std::int64_t read = (strip + reach.last_x - reach.first_x) * channels * value_bytes;
  const std::int64_t pointers = 2 * ring_rows_of(reach) * static_cast<std::int64_t>(reach.row_kernels * sizeof(T*));
  return ring + read + pointers;
}

template class SeparableBank<float>;
template class SeparableBank<double>;

}  // namespace tilewright
