// To and from cv::Mat: the only header of Tilewright that knows OpenCV. Header-only; link opencv_core.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <opencv2/core.hpp>

#include "tilewright/core/raster.hpp"

namespace tilewright {

namespace opencv_detail {

[[nodiscard]] inline int depth_of(PixelType type) {
  switch (type) {
    case PixelType::u8:
      return CV_8U;
    case PixelType::u16:
      return CV_16U;
    case PixelType::f32:
      return CV_32F;
    case PixelType::f64:
      return CV_64F;
  }
  throw InternalError("to_mat: unknown pixel type");
}

[[nodiscard]] inline PixelFormat format_of(const cv::Mat& mat) {
  if (mat.empty() || mat.dims != 2) throw ParameterError("from_mat: the cv::Mat must have two dimensions and pixels");
  for (const PixelType type : all_pixel_types) {
    if (depth_of(type) == mat.depth() && mat.channels() <= max_channels) return {type, mat.channels()};
  }
  throw ParameterError(fmt::format(
      "from_mat: a cv::Mat of type {} is not supported: use CV_8U, CV_16U, CV_32F or CV_64F with 1 to {} channels",
      cv::typeToString(mat.type()), max_channels));
}

/// Copies pixels, and exchanges the first channel and the third where there are three or more.
template <class T>
void copy_row(const T* source, T* target, std::int64_t pixels, int channels) {
  std::copy_n(source, pixels * channels, target);
  if (channels < 3) return;
  for (std::int64_t i = 0; i < pixels; ++i) std::swap(target[i * channels], target[i * channels + 2]);
}

}  // namespace opencv_detail

/// A copy of the raster's area, in OpenCV's channel order: R G B (A) becomes B G R (A).
/// Throws ParameterError if a side exceeds what cv::Mat counts.
[[nodiscard]] inline cv::Mat to_mat(const Raster& raster) {
  const Rect area = raster.area();
  if (std::max(area.width(), area.height()) > std::numeric_limits<int>::max()) {
    throw ParameterError(fmt::format("to_mat: {} is too large for a cv::Mat", to_string(raster.shape())));
  }
  const PixelFormat format = raster.format();
  cv::Mat mat(static_cast<int>(area.height()), static_cast<int>(area.width()),
              CV_MAKETYPE(opencv_detail::depth_of(format.type), format.channels));
  with_type(format.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (int y = 0; y < mat.rows; ++y) {
      opencv_detail::copy_row(raster.at<T>(area.x0, area.y0 + y), mat.ptr<T>(y), area.width(), format.channels);
    }
  });
  return mat;
}

/// A copy of the matrix as pixels from (0, 0) on, in Tilewright's channel order: B G R (A) becomes R G B (A).
/// Throws ParameterError unless it has 1 to 4 channels of CV_8U, CV_16U, CV_32F or CV_64F.
[[nodiscard]] inline Raster from_mat(const cv::Mat& mat) {
  const PixelFormat format = opencv_detail::format_of(mat);
  Raster raster(ImageShape{{mat.cols, mat.rows}, format});
  with_type(format.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (int y = 0; y < mat.rows; ++y) {
      opencv_detail::copy_row(mat.ptr<T>(y), raster.at<T>(0, y), mat.cols, format.channels);
    }
  });
  return raster;
}

/// The pixels of the matrix where they lie, as far as that is possible: one or two channels, in rows without gaps. They
/// must not be changed while the raster, or an image made of it, is in use. Else, and with the same exception, a copy
/// as from_mat() makes it.
[[nodiscard]] inline Raster shared_from_mat(const cv::Mat& mat) {
  const PixelFormat format = opencv_detail::format_of(mat);
  if (format.channels >= 3 || !mat.isContinuous()) return from_mat(mat);
  const auto owner = std::make_shared<const cv::Mat>(mat);
  return Raster::lent({owner, reinterpret_cast<const std::byte*>(owner->data)}, Rect{0, 0, mat.cols, mat.rows}, Halo{},
                      format);
}

}  // namespace tilewright
