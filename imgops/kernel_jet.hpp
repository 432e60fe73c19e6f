// Convolutions of one image with kernels that are not separable, in one pass over it.
#pragma once

#include <vector>

#include "bordered_rows.hpp"
#include "tilewright/pipeline/operator.hpp"

namespace tilewright {

/// A two-dimensional kernel in the order of correlation: the result at (x, y) is the sum of taps[j * width + i] *
/// f(x + first_x + i, y + first_y + j), added up row by row.
struct Correlation2d {
  std::vector<double> taps;
  std::int64_t width = 1;
  std::int64_t height = 1;
  std::int64_t first_x = 0;
  std::int64_t first_y = 0;
};

/// Rows of the source are converted, and given their border, once for all kernels.
class KernelJet final : public JointOperator {
 public:
  using Kernel = Correlation2d;

  /// Requires at least one kernel.
  KernelJet(std::vector<Correlation2d> kernels, const BorderRule& rule);

  [[nodiscard]] std::vector<Work> work(const ImageShape& input, const Extent& tile, std::size_t stored) const override;
  [[nodiscard]] std::int64_t scratch_bytes(const ImageShape& input, const Extent& tile) const override;
  [[nodiscard]] Extent largest_piece(const ImageShape& input, std::int64_t width) const override;
  void compute(const ConstView& input, const Rect& area, PieceSink& sink, bool streamed) const override;

  /// Whether the kernels had better be computed together: a piece of every result stays in a near cache, and none of
  /// them takes so long that writing its result is little beside it. Those are left apart for the plan to place.
  [[nodiscard]] bool is_worth_while() const;

 private:
  /// What the kernels read around a result, all together.
  struct Reach {
    std::int64_t first_x, width, first_y, height;
  };
  template <class T>
  class RowWindow;

  template <class T>
  void correlate(RowWindow<T>& window, std::size_t index, const std::vector<T>& taps, const MutableView& target,
                 const Rect& area) const;
  template <class T>
  void compute_as(const ConstView& input, const Rect& area, PieceSink& sink) const;

  std::vector<Correlation2d> kernels_;
  BorderRule rule_;
  Reach reach_;
  std::int64_t together_ = 1;  ///< rows of results that are computed together
};

}  // namespace tilewright
