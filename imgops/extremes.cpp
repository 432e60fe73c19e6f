// The smaller and the larger of two values.
#include "tilewright/imgops/arithmetic.hpp"
#include "two_operands.hpp"

namespace tilewright {
namespace {

/// Of equal values the first; NaN if either is.
struct Minimum {
  static constexpr const char* name = "min";
  static constexpr PointwiseOperation operation = PointwiseOperation::minimum;
  static constexpr bool keeps_type = true;
  template <class T>
  static T apply(T a, T b) {
    return b < a || b != b ? b : a;
  }
};

struct Maximum {
  static constexpr const char* name = "max";
  static constexpr PointwiseOperation operation = PointwiseOperation::maximum;
  static constexpr bool keeps_type = true;
  template <class T>
  static T apply(T a, T b) {
    return b > a || b != b ? b : a;
  }
};

}  // namespace

Image min(const Image& a, const Image& b) {
  return apply(std::make_shared<ImagesOperator<Minimum>>(), {a, b});
}
Image max(const Image& a, const Image& b) {
  return apply(std::make_shared<ImagesOperator<Maximum>>(), {a, b});
}

Image min(const Image& a, double b) {
  return apply(std::make_shared<ConstantOperator<Minimum>>(b, ConstantSide::right), {a});
}

Image max(const Image& a, double b) {
  return apply(std::make_shared<ConstantOperator<Maximum>>(b, ConstantSide::right), {a});
}

}  // namespace tilewright
