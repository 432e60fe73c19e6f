#include "tilewright/imgops/arithmetic.hpp"

#include "two_operands.hpp"

namespace tilewright {
namespace {

struct Add {
  static constexpr const char* name = "add";
  static constexpr PointwiseOperation operation = PointwiseOperation::add;
  static constexpr bool keeps_type = false;
  template <class T>
  static T apply(T a, T b) {
    return a + b;
  }
};

struct Subtract {
  static constexpr const char* name = "subtract";
  static constexpr PointwiseOperation operation = PointwiseOperation::subtract;
  static constexpr bool keeps_type = false;
  template <class T>
  static T apply(T a, T b) {
    return a - b;
  }
};

struct Multiply {
  static constexpr const char* name = "multiply";
  static constexpr PointwiseOperation operation = PointwiseOperation::multiply;
  static constexpr bool keeps_type = false;
  template <class T>
  static T apply(T a, T b) {
    return a * b;
  }
};

struct Divide {
  static constexpr const char* name = "divide";
  static constexpr PointwiseOperation operation = PointwiseOperation::divide;
  static constexpr bool keeps_type = false;
  template <class T>
  static T apply(T a, T b) {
    return a / b;
  }
};

template <class Function>
Image combine(const Image& a, const Image& b) {
  return apply(std::make_shared<ImagesOperator<Function>>(), {a, b});
}

template <class Function>
Image combine(const Image& image, double constant, ConstantSide side) {
  return apply(std::make_shared<ConstantOperator<Function>>(constant, side), {image});
}

}  // namespace

Image operator+(const Image& a, const Image& b) {
  return combine<Add>(a, b);
}
Image operator-(const Image& a, const Image& b) {
  return combine<Subtract>(a, b);
}
Image operator*(const Image& a, const Image& b) {
  return combine<Multiply>(a, b);
}
Image operator/(const Image& a, const Image& b) {
  return combine<Divide>(a, b);
}

Image operator+(const Image& a, double b) {
  return combine<Add>(a, b, ConstantSide::right);
}
Image operator-(const Image& a, double b) {
  return combine<Subtract>(a, b, ConstantSide::right);
}
Image operator*(const Image& a, double b) {
  return combine<Multiply>(a, b, ConstantSide::right);
}
Image operator/(const Image& a, double b) {
  return combine<Divide>(a, b, ConstantSide::right);
}

Image operator+(double a, const Image& b) {
  return combine<Add>(b, a, ConstantSide::left);
}
Image operator-(double a, const Image& b) {
  return combine<Subtract>(b, a, ConstantSide::left);
}
Image operator*(double a, const Image& b) {
  return combine<Multiply>(b, a, ConstantSide::left);
}
Image operator/(double a, const Image& b) {
  return combine<Divide>(b, a, ConstantSide::left);
}

}  // namespace tilewright
