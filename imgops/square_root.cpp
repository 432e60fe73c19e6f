#include <cmath>

#include "pointwise.hpp"
#include "pointwise_program.hpp"
#include "tilewright/imgops/arithmetic.hpp"

namespace tilewright {
namespace {

class SquareRoot final : public PointwiseOperator {
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

  [[nodiscard]] PointwiseFunction function() const override { return {.operation = PointwiseOperation::square_root}; }

  void compute(std::span<const ConstView> inputs, const MutableView& output,
               const ComputeContext& context) const override {
    compute_function(function(), inputs, output, context.threads);
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
