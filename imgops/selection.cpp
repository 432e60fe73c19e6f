// Operators on one image that keep its type: abs and threshold.
#include <fmt/format.h>

#include <cmath>

#include "convert_value.hpp"
#include "pointwise.hpp"
#include "tilewright/imgops/arithmetic.hpp"

namespace tilewright {
namespace {

/// A Function has a text that describes it, and bind<T>(), which yields a callable from T to T.
template <class Function>
class KeepingOperator final : public Operator {
 public:
  explicit KeepingOperator(Function function) : function_(std::move(function)) {}

  [[nodiscard]] std::string describe() const override { return function_.describe(); }
  [[nodiscard]] ImageShape shape(std::span<const ImageShape> inputs) const override { return inputs[0]; }
  [[nodiscard]] std::vector<Work> work(std::span<const ImageShape> inputs, const Extent& tile) const override {
    return {{"threshold", inputs[0].format.type, 0, values_of(inputs[0], tile)}};
  }

  void compute(std::span<const ConstView> inputs, const MutableView& output,
               const ComputeContext& context) const override {
    with_type(output.format().type, [&](auto tag) {
      using T = typename decltype(tag)::type;
      const auto function = function_.template bind<T>();
      for_each_block(output.area(), output.format().channels, context.threads, [&](auto x, auto y, auto values) {
        const T* in = inputs[0].at<T>(x, y);
        T* out = output.at<T>(x, y);
        for (std::int64_t i = 0; i < values; ++i) out[i] = function(in[i]);
      });
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

  template <class T>
  [[nodiscard]] static auto bind() {
    return [](T value) {
      if constexpr (std::is_floating_point_v<T>) {
        return std::abs(value);
      } else {
        return value;
      }
    };
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

  template <class T>
  using Computing = std::conditional_t<std::is_same_v<T, double>, double, float>;

  template <class T>
  [[nodiscard]] auto bind() const {
    using C = Computing<T>;
    return [level = static_cast<C>(options.level), below = convert_value<T>(options.below),
            above = convert_value<T>(options.above)](T value) { return static_cast<C>(value) > level ? above : below; };
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
