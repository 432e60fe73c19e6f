// The operator behind convolution with a kernel that is not separable.
#pragma once

#include <string>
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

class KernelFilter final : public Operator {
 public:
  struct Description {
    std::string text;  ///< what describe() says
    Correlation2d kernel;
    BorderRule border = {};
  };
  explicit KernelFilter(Description description) : description_(std::move(description)) {}

  [[nodiscard]] std::string describe() const override { return description_.text; }
  [[nodiscard]] ImageShape shape(std::span<const ImageShape> inputs) const override;
  [[nodiscard]] Halo halo() const override;
  [[nodiscard]] Border border() const override { return description_.border.border; }
  [[nodiscard]] double border_value() const override { return description_.border.value; }
  [[nodiscard]] bool makes_border() const override { return true; }
  [[nodiscard]] std::vector<Work> work(std::span<const ImageShape> inputs, const Extent& tile) const override;
  [[nodiscard]] std::int64_t scratch_bytes(std::span<const ImageShape> inputs, const Extent& tile) const override;
  void compute(std::span<const ConstView> inputs, const MutableView& output,
               const ComputeContext& context) const override;
  void reference(std::span<const ConstView> inputs, const MutableView& output) const override;

 private:
  template <class T>
  void compute_band(const ConstView& source, const MutableView& target, const Rect& band) const;
  template <class T>
  void compute_reference(const ConstView& source, const MutableView& target) const;

  Description description_;
};

}  // namespace tilewright
