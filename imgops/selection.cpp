// Operators on one image that keep its type: abs and threshold.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "convert_value.hpp"
#include "pointwise.hpp"
#include "pointwise_program.hpp"
#include "tilewright/imgops/arithmetic.hpp"

namespace tilewright {
namespace {

/// A Function has a text that describes it, its pointwise function, apply(rows of integers), and reference(value).
template <class Function>
class KeepingOperator final : public PointwiseOperator {
 public:
  explicit KeepingOperator(Function function) : function_(std::move(function)) {}

  [[nodiscard]] std::string describe() const override { return function_.describe(); }
  [[nodiscard]] ImageShape shape(std::span<const ImageShape> inputs) const override { return inputs[0]; }
  [[nodiscard]] std::vector<Work> work(std::span<const ImageShape> inputs, const Extent& tile) const override {
    return {{"threshold", inputs[0].format.type, 0, values_of(inputs[0], tile)}};
  }

  [[nodiscard]] PointwiseFunction function() const override { return function_.function(); }

  void compute(std::span<const ConstView> inputs, const MutableView& output,
               const ComputeContext& context) const override {
    with_type(output.format().type, [&](auto tag) {
      using T = typename decltype(tag)::type;
      if constexpr (std::is_floating_point_v<T>) {
        compute_function(function(), inputs, output, context.threads);
      } else {
        for_each_block(output.area(), output.format().channels, context.threads, [&](auto x, auto y, auto values) {
          function_.apply(inputs[0].at<T>(x, y), output.at<T>(x, y), values);
        });
      }
    });
  }

  void reference(std::span<const ConstView> inputs, const MutableView& output) const override {
    with_type(output.format().type, [&](auto tag) {
      using T = typename decltype(tag)::type;
      for_each_value(output.area(), output.format().channels, [&](auto x, auto y, int channel) {
        output.at<T>(x, y)[channel] = function_.reference(inputs[0].at<T>(x, y)[channel]);
      });
    });
  }

 private:
  Function function_;
};

struct Magnitude {
  [[nodiscard]] static std::string describe() { return "abs"; }
  [[nodiscard]] static PointwiseFunction function() { return {.operation = PointwiseOperation::magnitude}; }

  template <class T>
  static void apply(const T* in, T* out, std::int64_t values) {
    std::copy_n(in, values, out);
  }

  template <class T>
  [[nodiscard]] static T reference(T value) {
    return std::is_floating_point_v<T> && std::signbit(value) ? static_cast<T>(-value) : value;
  }
};

struct Comparison {
  Threshold options;

  [[nodiscard]] std::string describe() const {
    return fmt::format("threshold(level={}, below={}, above={})", options.level, options.below, options.above);
  }

  [[nodiscard]] PointwiseFunction function() const {
    return {.operation = PointwiseOperation::compare, .comparison = {options.level, options.below, options.above}};
  }

  template <class T>
  using Computing = std::conditional_t<std::is_same_v<T, double>, double, float>;

  template <class T>
  void apply(const T* in, T* out, std::int64_t values) const {
    using C = Computing<T>;
    const C level = static_cast<C>(options.level);
    const T below = convert_value<T>(options.below);
    const T above = convert_value<T>(options.above);
    for (std::int64_t i = 0; i < values; ++i) out[i] = static_cast<C>(in[i]) > level ? above : below;
  }

  template <class T>
  [[nodiscard]] T reference(T value) const {
    const bool greater = static_cast<double>(value) > static_cast<double>(static_cast<Computing<T>>(options.level));
    return convert_value_reference<T>(greater ? options.above : options.below);
  }
};

}  // namespace

Image abs(const Image& image) {
  return apply(std::make_shared<KeepingOperator<Magnitude>>(Magnitude{}), {image});
}

Image threshold(const Image& image, const Threshold& options) {
  return apply(std::make_shared<KeepingOperator<Comparison>>(Comparison{options}), {image});
}

}  // namespace tilewright
