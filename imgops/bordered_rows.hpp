// Rows of an image in the type that a kernel computes in, with the border around what is stored.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "row_values.hpp"
#include "tilewright/core/border.hpp"
#include "tilewright/core/border_fill.hpp"

namespace tilewright {

/// What an operator reads beyond the image's edges.
struct BorderRule {
  Border border = Border::reflect101;
  double value = 0;  ///< of a constant border
};

/// Reads the same columns of one row after another. Where they leave what the view stores, the image ends, and the rule
/// says what stands there.
template <class T>
class BorderedRows {
 public:
  BorderedRows(const ConstView& view, const BorderRule& rule)
      : view_(view), rule_(rule), constant_(static_cast<T>(border_constant(view.format().type, rule.value))) {}

  /// The columns [x, x + pixels), from now on.
  void select(std::int64_t x, std::int64_t pixels) {
    const Rect& stored = view_.stored();
    pixels_ = pixels;
    before_ = std::clamp<std::int64_t>(stored.x0 - x, 0, pixels);
    inside_ = x + before_;
    inside_pixels_ = std::max<std::int64_t>(0, std::min(x + pixels, stored.x1) - inside_);
    outside_.clear();
    const auto add = [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        const auto source = border_index(x + i - stored.x0, stored.width(), rule_.border);
        outside_.push_back({i, source.value_or(nowhere)});
      }
    };
    add(0, before_);
    add(before_ + inside_pixels_, pixels);
  }

  /// The row that row y is or repeats, counted from the first stored one. None if it is all constant border.
  [[nodiscard]] std::optional<std::int64_t> source_row(std::int64_t y) const {
    return border_index(y - view_.stored().y0, view_.stored().height(), rule_.border);
  }

  /// Pointer to their values in row y: the view's own memory where that will do, else `buffer`.
  [[nodiscard]] const T* row(std::int64_t y, T* buffer) const {
    const auto inside_y = source_row(y);
    if (!inside_y) {
      std::fill_n(buffer, pixels_ * view_.format().channels, constant_);
      return buffer;
    }
    const std::int64_t source_y = view_.stored().y0 + *inside_y;
    if (outside_.empty()) {
      return row_values(view_, inside_, source_y, inside_pixels_ * view_.format().channels, buffer);
    }
    with_type(view_.format().type, [&](auto tag) {
      if constexpr (can_hold<T, typename decltype(tag)::type>) assemble<typename decltype(tag)::type>(source_y, buffer);
    });
    return buffer;
  }

 private:
  static constexpr std::int64_t nowhere = std::numeric_limits<std::int64_t>::min();

  /// A selected column that is not stored, and the stored one that it is a copy of.
  struct Outside {
    std::int64_t index;
    std::int64_t source;
  };

  template <class Stored>
  void assemble(std::int64_t y, T* buffer) const {
    const std::int64_t channels = view_.format().channels;
    if (inside_pixels_ > 0) {
      const Stored* inside = view_.at<Stored>(inside_, y);
      std::copy_n(inside, inside_pixels_ * channels, buffer + before_ * channels);
    }
    const Stored* row = view_.at<Stored>(view_.stored().x0, y);
    for (const Outside& pixel : outside_) {
      T* const target = buffer + pixel.index * channels;
      for (std::int64_t c = 0; c < channels; ++c) {
        target[c] = pixel.source == nowhere ? constant_ : static_cast<T>(row[pixel.source * channels + c]);
      }
    }
  }

  ConstView view_;
  BorderRule rule_;
  T constant_;
  std::int64_t pixels_ = 0;
  std::int64_t inside_ = 0, inside_pixels_ = 0;  ///< of the selected columns, those that are stored
  std::int64_t before_ = 0;                      ///< selected columns to the left of these
  std::vector<Outside> outside_;
};

}  // namespace tilewright
