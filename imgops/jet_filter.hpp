// The operator behind a convolution that can be computed together with others of its image.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bordered_rows.hpp"
#include "computing_type.hpp"
#include "tilewright/pipeline/bands.hpp"
#include "tilewright/pipeline/operator.hpp"
#include "whole_target.hpp"

namespace tilewright {

/// All of it but its kernel's reach and its reference. A `Jet` computes several kernels in one pass: here one.
template <class Jet>
class JetFilter : public Operator {
 public:
  struct Description {
    std::string text;  ///< what describe() says
    typename Jet::Kernel kernel;
    BorderRule border = {};
  };
  explicit JetFilter(Description description)
      : description_(std::move(description)), jet_({description_.kernel}, description_.border) {}

  [[nodiscard]] std::string describe() const override { return description_.text; }
  [[nodiscard]] ImageShape shape(std::span<const ImageShape> inputs) const override {
    ImageShape result = inputs.front();
    result.format.type = computing_type(result.format.type);
    return result;
  }
  [[nodiscard]] Border border() const override { return description_.border.border; }
  [[nodiscard]] double border_value() const override { return description_.border.value; }
  [[nodiscard]] bool makes_border() const override { return true; }
  [[nodiscard]] std::vector<Work> work(std::span<const ImageShape> inputs, const Extent& tile) const override {
    return jet_.work(inputs.front(), tile, 1);
  }
  [[nodiscard]] std::int64_t scratch_bytes(std::span<const ImageShape> inputs, const Extent& tile) const override {
    return jet_.scratch_bytes(inputs.front(), tile);
  }

  [[nodiscard]] std::shared_ptr<const JointOperator> joined_with(
      std::span<const Operator* const> others) const override {
    std::vector<typename Jet::Kernel> kernels{description_.kernel};
    for (const Operator* other : others) {
      const auto* filter = dynamic_cast<const JetFilter*>(other);
      if (filter == nullptr) return nullptr;
      kernels.push_back(filter->description_.kernel);
    }
    auto jet = std::make_shared<Jet>(std::move(kernels), description_.border);
    return others.empty() || jet->is_worth_while() ? jet : nullptr;
  }

  void compute(std::span<const ConstView> inputs, const MutableView& output,
               const ComputeContext& context) const override {
    for_each_band(output.area(), context.threads, [&](const Rect& band) {
      WholeTarget target(output);
      jet_.compute(inputs.front(), band, target, true);
    });
  }

 protected:
  [[nodiscard]] const Description& description() const { return description_; }

 private:
  Description description_;
  Jet jet_;  ///< of this kernel alone: it does the work
};

}  // namespace tilewright
