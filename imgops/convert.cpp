#include <fmt/format.h>

#include <array>

#include "convert_value.hpp"
#include "pointwise.hpp"
#include "tilewright/imgops/arithmetic.hpp"

namespace tilewright {
namespace {

class Convert final : public Operator {
 public:
  Convert(PixelType type, const ConvertOptions& options) : type_(type), options_(options) {}

  [[nodiscard]] std::string describe() const override {
    return fmt::format("convert({}, scale={}, offset={})", to_string(type_), options_.scale, options_.offset);
  }

  [[nodiscard]] ImageShape shape(std::span<const ImageShape> inputs) const override {
    return {inputs[0].extent, {type_, inputs[0].format.channels}};
  }

  [[nodiscard]] std::vector<Work> work(std::span<const ImageShape> inputs, const Extent& tile) const override {
    return {{"convert", inputs[0].format.type, static_cast<double>(bytes_of(type_)), values_of(inputs[0], tile)}};
  }

  [[nodiscard]] std::int64_t scratch_bytes(std::span<const ImageShape> inputs, const Extent& /*tile*/) const override {
    return 3 * block_bytes(common_computing_type(inputs[0].format.type, type_));
  }

  void compute(std::span<const ConstView> inputs, const MutableView& output,
               const ComputeContext& context) const override {
    dispatch(inputs[0], [&](auto computing, auto target) {
      using C = typename decltype(computing)::type;
      using T = typename decltype(target)::type;
      for_each_block(output.area(), output.format().channels, context.threads, [&](auto x, auto y, auto values) {
        std::array<C, block_values> buffer;
        convert_row<C, T>(row_values(inputs[0], x, y, values, buffer.data()), values, output.at<T>(x, y));
      });
    });
  }

  void reference(std::span<const ConstView> inputs, const MutableView& output) const override {
    dispatch(inputs[0], [&](auto computing, auto target) {
      using C = typename decltype(computing)::type;
      using T = typename decltype(target)::type;
      for_each_value(output.area(), output.format().channels, [&](auto x, auto y, int channel) {
        C value = value_at<C>(inputs[0], x, y, channel);
        if (scales()) {
          value = value * static_cast<C>(options_.scale);
          value = value + static_cast<C>(options_.offset);
        }
        output.at<T>(x, y)[channel] = convert_value_reference<T>(value);
      });
    });
  }

 private:
  [[nodiscard]] bool scales() const { return options_.scale != 1 || options_.offset != 0; }

  template <class Action>
  void dispatch(const ConstView& input, const Action& action) const {
    with_type(type_, [&](auto target) {
      if (common_computing_type(input.format().type, type_) == PixelType::f64) {
        action(TypeTag<double>{}, target);
      } else {
        action(TypeTag<float>{}, target);
      }
    });
  }

  /// At most block_values values. Loops of one kind each, for only such are vectorised.
  template <class C, class T>
  void convert_row(const C* in, std::int64_t values, T* out) const {
    std::array<C, block_values> scaled;
    if (scales()) {
      const C scale = static_cast<C>(options_.scale);
      const C offset = static_cast<C>(options_.offset);
      for (std::int64_t i = 0; i < values; ++i) scaled[static_cast<std::size_t>(i)] = in[i] * scale + offset;
      in = scaled.data();
    }
    if constexpr (std::is_floating_point_v<T>) {
      for (std::int64_t i = 0; i < values; ++i) out[i] = static_cast<T>(in[i]);
    } else {
      std::array<C, block_values> clamped;
      for (std::int64_t i = 0; i < values; ++i) clamped[static_cast<std::size_t>(i)] = clamped_to<T>(in[i]);
      for (std::int64_t i = 0; i < values; ++i) out[i] = rounded_to<T>(clamped[static_cast<std::size_t>(i)]);
    }
  }

  PixelType type_;
  ConvertOptions options_;
};

}  // namespace

Image convert(const Image& image, PixelType type, const ConvertOptions& options) {
  return apply(std::make_shared<Convert>(type, options), {image});
}

}  // namespace tilewright
