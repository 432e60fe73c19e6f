// Several separable convolutions of one image in one pass over it.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "bordered_rows.hpp"
#include "convolution_columns.hpp"
#include "convolution_rows.hpp"
#include "correlation.hpp"
#include "tilewright/pipeline/operator.hpp"

namespace tilewright {

/// One filter of a bank: first along rows, then along columns.
struct SeparableKernels {
  Correlation x;
  Correlation y;
};

/// Convolves the rows that come into reach into a ring of rows, each with all distinct row kernels, and makes
/// rows_a_pass rows of every filter's results at a time. Computes in T. Keeps its working memory, so each thread needs
/// one of its own.
template <class T>
class SeparableBank {
 public:
  SeparableBank(std::span<const SeparableKernels> filters, const BorderRule& rule, int channels, std::int64_t width);

  /// The results of `area`, one a filter. What the source does not store is outside of the image.
  void run(const ConstView& source, const Rect& area, PieceSink& sink, Storing storing);

  /// How large a piece can be, for areas of that width.
  [[nodiscard]] static Extent largest_piece(std::span<const SeparableKernels> filters, int channels,
                                            std::int64_t width);
  /// Working memory in bytes for areas of that width in pixels.
  [[nodiscard]] static std::int64_t scratch_bytes(std::span<const SeparableKernels> filters, int channels,
                                                  std::int64_t width);

 private:
  struct Column {
    FoldedKernel<T> kernel;
    std::size_t row_kernel;  ///< whose results it reads
    /// Which even one goes down the same rows with this odd one.
    std::optional<std::size_t> partner = std::nullopt;
    bool is_partner = false;
  };

  void make_passes();
  void find_partners();
  void begin_strip(const ConstView& source);
  /// Where the results of a row of the source lie in the ring.
  [[nodiscard]] T* ring_row(std::size_t kernel, std::size_t place);
  void point_to(std::size_t row_slot, std::size_t place);
  void bring_row(const BorderedRows<T>& source, std::int64_t y, std::int64_t values);
  void convolve_source_row(const T* values_of_row, std::size_t place, std::int64_t values);
  [[nodiscard]] static bool comes_from_memory(const ConstView& source);
  void prefetch(const ConstView& source, std::int64_t x, std::int64_t y, std::int64_t width);
  void emit(const Rect& piece, PieceSink& sink, Storing storing);
  void emit_column(std::size_t index, const Rect& piece, std::span<const MutableView> targets, Storing storing);
  [[nodiscard]] std::size_t slot(std::int64_t y) const;

  BorderRule rule_;
  std::int64_t channels_;
  std::vector<FoldedKernel<T>> row_kernels_;
  std::vector<RowPass<T>> passes_;
  std::vector<Column> columns_;
  std::int64_t first_x_ = 0, last_x_ = 0, first_y_ = 0, last_y_ = 0;  ///< what the filters reach
  std::int64_t strip_ = 0;                                            ///< pixels of a row that are worked on at a time
  std::int64_t ring_rows_ = 0;
  Raster ring_;
  std::vector<T> read_;                         ///< a row that was converted, or has a border
  std::vector<std::vector<const T*>> rows_of_;  ///< of each row kernel, the rows that are in reach, by slot, twice over
  std::vector<bool> is_convolved_;  ///< by row of an image that the ring holds whole: it is in its place. Else empty
};

extern template class SeparableBank<float>;
extern template class SeparableBank<double>;

}  // namespace tilewright
