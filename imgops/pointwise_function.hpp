// What operators without a neighbourhood do to the values of a pixel.
#pragma once

#include <cstdint>
#include <optional>

#include "tilewright/pipeline/operator.hpp"

namespace tilewright {

/// minimum and maximum: of equal values the first; NaN if either is. compare: `above` where the value is above the
/// level, else `below`, for NaN too. Everything is rounded once, to the type that is computed in.
enum class PointwiseOperation : std::uint8_t {
  add,
  subtract,
  multiply,
  divide,
  minimum,
  maximum,
  square_root,
  magnitude,
  compare
};

/// An operation on one value, or on two of which a constant may be one.
struct PointwiseFunction {
  /// What compare looks for and what it puts.
  struct Comparison {
    double level = 0, below = 0, above = 0;
  };
  PointwiseOperation operation = PointwiseOperation::add;
  std::optional<double> constant = {};
  bool constant_is_first = false;
  Comparison comparison = {};
};

/// An operator that is such a function of its inputs wherever its result is of a floating-point type.
class PointwiseOperator : public Operator {
 public:
  [[nodiscard]] virtual PointwiseFunction function() const = 0;
};

}  // namespace tilewright
