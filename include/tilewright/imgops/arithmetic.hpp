// Pixel by pixel: arithmetic, comparison, conversion.
//
// Shape: that of the images, which must have the same size and as many channels; ParameterError otherwise.
// Halo: none. Placement: any in, the same out. All of these record; nothing is computed.
#pragma once

#include "tilewright/pipeline/image.hpp"

namespace tilewright {

// Pixel: computed in f32, or in f64 if an image is f64; that is the result's type. Constants are rounded to it.
// Cost: "pointwise_binary" for two images, "pointwise_unary" for an image and a constant.
[[nodiscard]] Image operator+(const Image& a, const Image& b);
[[nodiscard]] Image operator-(const Image& a, const Image& b);
[[nodiscard]] Image operator*(const Image& a, const Image& b);
[[nodiscard]] Image operator/(const Image& a, const Image& b);
[[nodiscard]] Image operator+(const Image& a, double b);
[[nodiscard]] Image operator-(const Image& a, double b);
[[nodiscard]] Image operator*(const Image& a, double b);
[[nodiscard]] Image operator/(const Image& a, double b);
[[nodiscard]] Image operator+(double a, const Image& b);
[[nodiscard]] Image operator-(double a, const Image& b);
[[nodiscard]] Image operator*(double a, const Image& b);
[[nodiscard]] Image operator/(double a, const Image& b);

/// Pixel: as for arithmetic. NaN below 0. Cost: "sqrt".
[[nodiscard]] Image sqrt(const Image& image);

// Pixel: images of one type keep it; of two types: as for arithmetic. Constants are converted as by convert().
// NaN if either is NaN; of two equal values the first. Cost: "pointwise_binary", or "threshold" with one image.
[[nodiscard]] Image abs(const Image& image);
[[nodiscard]] Image min(const Image& a, const Image& b);
[[nodiscard]] Image min(const Image& a, double b);
[[nodiscard]] Image max(const Image& a, const Image& b);
[[nodiscard]] Image max(const Image& a, double b);

struct Threshold {
  double level = 0;
  double below = 0;  ///< where the value is at most the level, or NaN
  double above = 1;  ///< where it is greater
};

/// Pixel: keeps the type. The level is compared in f32, in f64 for f64; below and above are converted as by convert().
/// Cost: "threshold".
[[nodiscard]] Image threshold(const Image& image, const Threshold& options);

struct ConvertOptions {
  double scale = 1;
  double offset = 0;
};

/// value * scale + offset, in `type`: rounded to the nearest integer, halves to the even one, and saturated for u8 and
/// u16, where NaN becomes 0. Computed in f32, or in f64 if the image or `type` is f64.
/// Cost: "convert", parameter: bytes of a value of `type`.
[[nodiscard]] Image convert(const Image& image, PixelType type, const ConvertOptions& options = {});

}  // namespace tilewright
