#include "kernel_jet.hpp"

#include <algorithm>
#include <array>

#include "computing_type.hpp"
#include "correlation.hpp"
#include "kernel_rows.hpp"
#include "pointwise.hpp"
#include "storing.hpp"
#include "work_parts.hpp"

namespace tilewright {
namespace {

/// Of results that are handed on piece by piece, all kernels' together.
constexpr std::int64_t values_at_hand = 64 * 1024;
/// Shorter rows would be mostly overhead.
constexpr std::int64_t fewest_values = 1024;
/// A tap takes some 0.02 ns a value, writing a result and reading it again 0.3 to 1.2: an eighth of 128 taps at least.
constexpr std::int64_t most_joined_taps = 128;
/// So many that handing a piece on costs little beside computing it.
constexpr std::int64_t values_a_piece = 8192;

/// Of kernels of fewer rows, those of several rows of results would have little in common.
constexpr std::int64_t fewest_shared_rows = 6;

/// Of a kernel's results.
std::int64_t values_of_piece(std::int64_t kernels) {
  return std::clamp(values_at_hand / kernels, fewest_values, values_a_piece);
}

/// How many values of a row are worked on at a time, so that the ring of source rows stays in a near cache, and the
/// results do; and so that a piece has as many rows as are computed together.
std::int64_t strip_values(std::int64_t rows, std::int64_t value_bytes, std::int64_t kernels, std::int64_t together) {
  constexpr std::int64_t ring_bytes = 512 * 1024;
  const std::int64_t most = values_of_piece(kernels) / together;
  return std::clamp(ring_bytes / (rows * value_bytes), fewest_values / together, most) / 64 * 64;
}

}  // namespace

KernelJet::KernelJet(std::vector<Correlation2d> kernels, const BorderRule& rule)
    : kernels_(std::move(kernels)), rule_(rule) {
  const Correlation2d& first = kernels_.front();
  std::int64_t end_x = first.first_x + first.width;
  std::int64_t end_y = first.first_y + first.height;
  reach_ = {first.first_x, 0, first.first_y, 0};
  for (const Correlation2d& kernel : kernels_) {
    reach_.first_x = std::min(reach_.first_x, kernel.first_x);
    reach_.first_y = std::min(reach_.first_y, kernel.first_y);
    end_x = std::max(end_x, kernel.first_x + kernel.width);
    end_y = std::max(end_y, kernel.first_y + kernel.height);
  }
  reach_.width = end_x - reach_.first_x;
  reach_.height = end_y - reach_.first_y;
  const auto is_low = [](const Correlation2d& kernel) { return kernel.height < fewest_shared_rows; };
  together_ = std::ranges::any_of(kernels_, is_low) ? 1 : rows_together;
}

/// Rows of the source in the computing type, each converted once: as many as the results of some rows read.
template <class T>
class KernelJet::RowWindow {
 public:
  RowWindow(const Reach& reach, const ConstView& source, const BorderRule& rule, std::int64_t width,
            std::int64_t together)
      : reach_(reach),
        source_(source, rule),
        channels_(source.format().channels),
        pitch_((width + reach.width - 1) * channels_),
        rows_at_hand_(reach.height + together - 1),
        ring_(static_cast<std::size_t>(pitch_ * rows_at_hand_)),
        rows_(static_cast<std::size_t>(rows_at_hand_)) {}

  /// For `width` results from pixel x on and rows from y on, from now on.
  void select(std::int64_t x, std::int64_t width, std::int64_t y) {
    source_.select(x + reach_.first_x, width + reach_.width - 1);
    next_ = y + reach_.first_y;
  }

  /// Makes the rows available that the results up to row `last` need, each in the place of one that is needed no more:
  /// of results in `together` rows. Rows are asked for from top to bottom.
  void reach_row(std::int64_t last) {
    for (; next_ < last + reach_.first_y + reach_.height; ++next_) {
      const std::size_t slot = slot_of(next_);
      rows_[slot] = source_.row(next_, ring_.data() + static_cast<std::int64_t>(slot) * pitch_);
    }
  }

  /// For the results at row y: a pointer a tap.
  [[nodiscard]] const T* const* reads(const Correlation2d& kernel, std::int64_t y) {
    reads_.clear();
    for (std::int64_t j = 0; j < kernel.height; ++j) {
      const T* row = source_row(kernel, y + j);
      for (std::int64_t i = 0; i < kernel.width; ++i) reads_.push_back(row + i * channels_);
    }
    return reads_.data();
  }

  /// For those of rows_together rows from y on: where a kernel row's first tap reads in each row of the source.
  [[nodiscard]] const T* const* source_rows(const Correlation2d& kernel, std::int64_t y) {
    reads_.clear();
    for (std::int64_t j = 0; j < kernel.height + rows_together - 1; ++j) reads_.push_back(source_row(kernel, y + j));
    return reads_.data();
  }

 private:
  /// That the first row of the kernel reads for the results at row y.
  [[nodiscard]] const T* source_row(const Correlation2d& kernel, std::int64_t y) const {
    return rows_[slot_of(y + kernel.first_y)] + (kernel.first_x - reach_.first_x) * channels_;
  }

  [[nodiscard]] std::size_t slot_of(std::int64_t y) const {
    return static_cast<std::size_t>((y % rows_at_hand_ + rows_at_hand_) % rows_at_hand_);
  }

  Reach reach_;
  BorderedRows<T> source_;
  std::int64_t channels_;
  std::int64_t pitch_;
  std::int64_t rows_at_hand_;
  std::int64_t next_ = 0;  ///< the row to be read next
  std::vector<T> ring_;
  std::vector<const T*> rows_;
  std::vector<const T*> reads_;
};

/// Results that are handed on stay in a near cache, as those of a small tile do.
std::vector<Work> KernelJet::work(const ImageShape& input, const Extent& tile, std::size_t stored) const {
  const auto in_pieces_of = [&](double pixels) {
    std::vector<Work> all;
    for (const Correlation2d& kernel : kernels_) {
      const auto taps = static_cast<double>(kernel.taps.size());
      all.push_back({"convolve_2d", input.format.type, taps, values_of(input, tile), pixels});
    }
    return all;
  };
  constexpr double whole_tile = 0;
  if (stored >= kernels_.size()) return in_pieces_of(whole_tile);
  const auto at_hand = static_cast<double>(std::min(tile.pixels(), values_at_hand));
  return stored_in_part(in_pieces_of(whole_tile), in_pieces_of(at_hand), stored, kernels_.size());
}

std::int64_t KernelJet::scratch_bytes(const ImageShape& input, const Extent& tile) const {
  const auto value_bytes = static_cast<std::int64_t>(bytes_of(computing_type(input.format.type)));
  const auto pointer_bytes = static_cast<std::int64_t>(sizeof(void*));
  const std::int64_t width = largest_piece(input, tile.width).width;
  const std::int64_t rows = reach_.height + together_ - 1;
  std::int64_t taps = 0;
  std::int64_t most_taps = 0;
  for (const Correlation2d& kernel : kernels_) {
    taps += kernel.width * kernel.height;
    most_taps = std::max(most_taps, kernel.width * kernel.height);
  }
  return rows * ((width + reach_.width - 1) * input.format.channels * value_bytes + pointer_bytes) +
         taps * value_bytes + (most_taps + rows) * pointer_bytes;
}

Extent KernelJet::largest_piece(const ImageShape& input, std::int64_t width) const {
  const auto value_bytes = static_cast<std::int64_t>(bytes_of(computing_type(input.format.type)));
  const auto kernels = static_cast<std::int64_t>(kernels_.size());
  const std::int64_t channels = input.format.channels;
  const std::int64_t strip = std::min(
      width, std::max<std::int64_t>(1, strip_values(reach_.height, value_bytes, kernels, together_) / channels));
  return {strip, std::max<std::int64_t>(1, values_of_piece(kernels) / (strip * channels))};
}

bool KernelJet::is_worth_while() const {
  const bool fits_cache = static_cast<std::int64_t>(kernels_.size()) * fewest_values <= values_at_hand;
  return fits_cache && std::ranges::all_of(kernels_, [](const Correlation2d& kernel) {
           return static_cast<std::int64_t>(kernel.taps.size()) <= most_joined_taps;
         });
}

/// The results of one kernel in as many rows as are computed together, or in the last ones.
template <class T>
void KernelJet::correlate(RowWindow<T>& window, std::size_t index, const std::vector<T>& taps,
                          const MutableView& target, const Rect& area) const {
  const Correlation2d& kernel = kernels_[index];
  const std::int64_t channels = target.format().channels;
  const std::int64_t values = area.width() * channels;
  if (area.height() == rows_together) {
    std::array<T*, rows_together> out;
    for (int r = 0; r < rows_together; ++r) out[static_cast<std::size_t>(r)] = target.at<T>(area.x0, area.y0 + r);
    correlate_rows({taps.data(), kernel.width, kernel.height, channels}, window.source_rows(kernel, area.y0),
                   out.data(), values);
    return;
  }
  for (std::int64_t y = area.y0; y < area.y1; ++y)
    correlate_row(window.reads(kernel, y), taps.data(), taps.size(), target.at<T>(area.x0, y), values);
}

template <class T>
void KernelJet::compute_as(const ConstView& input, const Rect& area, PieceSink& sink) const {
  const ImageShape shape{{area.width(), area.height()}, input.format()};
  const Extent most = largest_piece(shape, area.width());
  std::vector<std::vector<T>> taps;
  for (const Correlation2d& kernel : kernels_) taps.push_back(taps_as<T>(kernel.taps));
  RowWindow<T> window(reach_, input, rule_, most.width, together_);
  for (std::int64_t x = area.x0; x < area.x1; x += most.width) {
    const std::int64_t x1 = std::min(x + most.width, area.x1);
    window.select(x, x1 - x, area.y0);
    for (std::int64_t y0 = area.y0; y0 < area.y1; y0 += most.height) {
      const Rect piece{x, y0, x1, std::min(y0 + most.height, area.y1)};
      const std::span<const MutableView> targets = sink.targets(piece);
      for (std::int64_t y = piece.y0; y < piece.y1; y += together_) {
        const std::int64_t rows = std::min(together_, piece.y1 - y);
        window.reach_row(y + rows - 1);
        for (std::size_t i = 0; i < kernels_.size(); ++i)
          correlate(window, i, taps[i], targets[i], {x, y, x1, y + rows});
      }
      sink.done(piece);
    }
  }
}

void KernelJet::compute(const ConstView& input, const Rect& area, PieceSink& sink, bool /*streamed*/) const {
  with_computing_type(input.format().type,
                      [&](auto tag) { compute_as<typename decltype(tag)::type>(input, area, sink); });
}

}  // namespace tilewright
