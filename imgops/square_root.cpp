#include <array>
#include <cmath>

#include "pointwise.hpp"
#include "pointwise_rows.hpp"
#include "tilewright/imgops/arithmetic.hpp"

namespace tilewright {
namespace {

class SquareRoot final : public Operator {
 public:
  [[nodiscard]] std::string describe() const override { return "sqrt"; }

  [[nodiscard]] ImageShape shape(std::span<const ImageShape> inputs) const override {
    ImageShape result = inputs[0];
    result.format.type = computing_type(result.format.type);
    return result;
  }

  [[nodiscard]] std::vector<Work> work(std::span<const ImageShape> inputs, const Extent& tile) const override {
    return {{"sqrt", inputs[0].format.type, 0, values_of(inputs[0], tile)}};
  }

  [[nodiscard]] std::int64_t scratch_bytes(std::span<const ImageShape> inputs, const Extent& /*tile*/) const override {
    return block_bytes(shape(inputs).format.type);
  }

  void compute(std::span<const ConstView> inputs, const MutableView& output,
               const ComputeContext& context) const override {
    if (output.format().type == PixelType::f64) {
      compute_in<double>(inputs[0], output, context);
    } else {
      compute_in<float>(inputs[0], output, context);
    }
  }

  void reference(std::span<const ConstView> inputs, const MutableView& output) const override {
    if (output.format().type == PixelType::f64) {
      reference_in<double>(inputs[0], output);
    } else {
      reference_in<float>(inputs[0], output);
    }
  }

 private:
  template <class T>
  static void compute_in(const ConstView& input, const MutableView& output, const ComputeContext& context) {
    for_each_block(output.area(), output.format().channels, context.threads, [&](auto x, auto y, auto values) {
      std::array<T, block_values> buffer;
      const T* in = row_values(input, x, y, values, buffer.data());
      T* out = output.at<T>(x, y);
      square_roots(in, out, values);
    });
  }

  template <class T>
  static void reference_in(const ConstView& input, const MutableView& output) {
    for_each_value(output.area(), output.format().channels, [&](auto x, auto y, int channel) {
      output.at<T>(x, y)[channel] = std::sqrt(value_at<T>(input, x, y, channel));
    });
  }
};

}  // namespace

Image sqrt(const Image& image) {
  return apply(std::make_shared<SquareRoot>(), {image});
}

}  // namespace tilewright
