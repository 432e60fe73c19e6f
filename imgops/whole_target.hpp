// One operator of a pass alone: its results go to where they belong at once.
#pragma once

#include "tilewright/pipeline/operator.hpp"

namespace tilewright {

/// Into one whole image.
class WholeTarget final : public PieceSink {
 public:
  explicit WholeTarget(const MutableView& target) : target_(target) {}
  [[nodiscard]] std::span<const MutableView> targets(const Rect& /*piece*/) override { return {&target_, 1}; }
  void done(const Rect& /*piece*/) override {}

 private:
  MutableView target_;
};

}  // namespace tilewright
