// Operators that combine the values of two images, or of an image and a constant.
#pragma once

#include <fmt/format.h>

#include "convert_value.hpp"
#include "pointwise.hpp"
#include "pointwise_program.hpp"

namespace tilewright {

// A Function has a name and its operation, tells whether images of one type keep it (else the result is of the
// computing type), and combines two values of the result's type.

/// The type of what Function makes of two types.
template <class Function>
[[nodiscard]] PixelType result_type(PixelType a, PixelType b) {
  return Function::keeps_type && a == b ? a : common_computing_type(a, b);
}

/// Calls `action` with the tag of `type`, which for arithmetic is never an integer type.
template <class Function, class Action>
void with_result_type(PixelType type, const Action& action) {
  with_type(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (Function::keeps_type || std::is_floating_point_v<T>) {
      action(tag);
    } else {
      throw InternalError("with_result_type: arithmetic in an integer type");
    }
  });
}

template <class Function>
class ImagesOperator final : public PointwiseOperator {
 public:
  [[nodiscard]] std::string describe() const override { return Function::name; }

  [[nodiscard]] ImageShape shape(std::span<const ImageShape> inputs) const override {
    const PixelFormat a = inputs[0].format;
    const PixelFormat b = inputs[1].format;
    if (a.channels != b.channels) {
      throw ParameterError(fmt::format("{}: its images have {} and {} channels; they must have as many", describe(),
                                       a.channels, b.channels));
    }
    return {inputs[0].extent, {result_type<Function>(a.type, b.type), a.channels}};
  }

  [[nodiscard]] std::vector<Work> work(std::span<const ImageShape> inputs, const Extent& tile) const override {
    const PixelType wider = std::max(inputs[0].format.type, inputs[1].format.type);
    return {{"pointwise_binary", wider, 0, values_of(inputs[0], tile)}};
  }

  [[nodiscard]] PointwiseFunction function() const override { return {.operation = Function::operation}; }

  void compute(std::span<const ConstView> inputs, const MutableView& output,
               const ComputeContext& context) const override {
    with_result_type<Function>(output.format().type, [&](auto tag) {
      using T = typename decltype(tag)::type;
      if constexpr (std::is_floating_point_v<T>) {
        compute_function(function(), inputs, output, context.threads);
      } else {  // both are of that type
        for_each_block(output.area(), output.format().channels, context.threads, [&](auto x, auto y, auto values) {
          const T* a = inputs[0].template at<T>(x, y);
          const T* b = inputs[1].template at<T>(x, y);
          T* out = output.at<T>(x, y);
          for (std::int64_t i = 0; i < values; ++i) out[i] = Function::apply(a[i], b[i]);
        });
      }
    });
  }

  void reference(std::span<const ConstView> inputs, const MutableView& output) const override {
    with_result_type<Function>(output.format().type, [&](auto tag) {
      using T = typename decltype(tag)::type;
      for_each_value(output.area(), output.format().channels, [&](auto x, auto y, int channel) {
        output.at<T>(x, y)[channel] = Function::apply(value_at<T>(inputs[0], x, y, channel),  //
                                                      value_at<T>(inputs[1], x, y, channel));
      });
    });
  }
};

/// On which side of the operation the constant stands.
enum class ConstantSide { left, right };

template <class Function>
class ConstantOperator final : public PointwiseOperator {
 public:
  ConstantOperator(double constant, ConstantSide side) : constant_(constant), side_(side) {}

  [[nodiscard]] std::string describe() const override {
    return side_ == ConstantSide::left ? fmt::format("{}({}, image)", Function::name, constant_)
                                       : fmt::format("{}(image, {})", Function::name, constant_);
  }

  [[nodiscard]] ImageShape shape(std::span<const ImageShape> inputs) const override {
    const PixelFormat format = inputs[0].format;
    return {inputs[0].extent, {result_type<Function>(format.type, format.type), format.channels}};
  }

  [[nodiscard]] std::vector<Work> work(std::span<const ImageShape> inputs, const Extent& tile) const override {
    return {
        {Function::keeps_type ? "threshold" : "pointwise_unary", inputs[0].format.type, 0, values_of(inputs[0], tile)}};
  }

  [[nodiscard]] PointwiseFunction function() const override {
    return {.operation = Function::operation, .constant = constant_, .constant_is_first = side_ == ConstantSide::left};
  }

  void compute(std::span<const ConstView> inputs, const MutableView& output,
               const ComputeContext& context) const override {
    with_result_type<Function>(output.format().type, [&](auto tag) {
      using T = typename decltype(tag)::type;
      if constexpr (std::is_floating_point_v<T>) {
        compute_function(function(), inputs, output, context.threads);
      } else {
        compute_integers<T>(inputs[0], output, context.threads);
      }
    });
  }

  void reference(std::span<const ConstView> inputs, const MutableView& output) const override {
    with_result_type<Function>(output.format().type, [&](auto tag) {
      using T = typename decltype(tag)::type;
      const T constant = convert_value_reference<T>(constant_);
      for_each_value(output.area(), output.format().channels, [&](auto x, auto y, int channel) {
        const T value = value_at<T>(inputs[0], x, y, channel);
        output.at<T>(x, y)[channel] =
            side_ == ConstantSide::left ? Function::apply(constant, value) : Function::apply(value, constant);
      });
    });
  }

 private:
  template <class T>
  void compute_integers(const ConstView& input, const MutableView& output, int threads) const {
    const T constant = convert_value<T>(constant_);
    for_each_block(output.area(), output.format().channels, threads, [&](auto x, auto y, auto values) {
      const T* in = input.template at<T>(x, y);
      T* out = output.at<T>(x, y);
      if (side_ == ConstantSide::left) {
        for (std::int64_t i = 0; i < values; ++i) out[i] = Function::apply(constant, in[i]);
      } else {
        for (std::int64_t i = 0; i < values; ++i) out[i] = Function::apply(in[i], constant);
      }
    });
  }

  double constant_;
  ConstantSide side_;
};

}  // namespace tilewright
