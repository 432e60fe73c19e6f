#include "opencv_codec.hpp"

#include <fmt/format.h>

#include <iostream>
#include <mutex>
#include <opencv2/core.hpp>
#include <opencv2/core/utils/logger.hpp>
#include <opencv2/imgcodecs.hpp>
#include <streambuf>

namespace tilewright {
namespace {

/// Takes what is printed and forgets it, from several threads at once.
class Nowhere final : public std::streambuf {
 protected:
  int_type overflow(int_type character) override { return traits_type::not_eof(character); }
  std::streamsize xsputn(const char* /*text*/, std::streamsize size) override { return size; }
};

/// OpenCV logs, and its codecs write to std::cerr what they throw. Both are the process's own, and several images may
/// be encoded at once: the first makes OpenCV quiet, and the last lets it speak again.
class Silence {
 public:
  void begin() {
    const std::lock_guard lock(mutex_);
    if (users_++ > 0) return;
    level_ = cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT);
    buffer_ = std::cerr.rdbuf(&nowhere_);
  }
  void end() {
    const std::lock_guard lock(mutex_);
    if (--users_ > 0) return;
    std::cerr.rdbuf(buffer_);
    cv::utils::logging::setLogLevel(level_);
  }

 private:
  std::mutex mutex_;
  int users_ = 0;
  Nowhere nowhere_;
  cv::utils::logging::LogLevel level_{};
  std::streambuf* buffer_ = nullptr;
};

Silence& silence_of_process() {
  static Silence silence;
  return silence;
}

/// While it lives, OpenCV prints nothing.
class QuietOpenCv {
 public:
  QuietOpenCv() { silence_of_process().begin(); }
  ~QuietOpenCv() { silence_of_process().end(); }
  QuietOpenCv(const QuietOpenCv&) = delete;
  QuietOpenCv& operator=(const QuietOpenCv&) = delete;
};

int depth_of(PixelType type) {
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
  throw InternalError("depth_of: unknown pixel type");
}

std::optional<PixelType> type_of(int depth) {
  for (const PixelType type : all_pixel_types) {
    if (depth_of(type) == depth) return type;
  }
  return std::nullopt;
}

/// A cv::Mat that looks at the same memory. OpenCV has no view of constant pixels; those of a ConstView are only read.
template <class View>
cv::Mat mat_of(const View& view) {
  const Rect area = view.area();
  void* data = const_cast<std::byte*>(view.bytes_at(area.x0, area.y0));
  return {static_cast<int>(area.height()), static_cast<int>(area.width()),
          CV_MAKETYPE(depth_of(view.format().type), view.format().channels), data,
          static_cast<std::size_t>(view.row_bytes())};
}

/// From B G R (A) to R G B (A) or back.
void swap_red_and_blue(cv::Mat& mat, PixelType type) {
  if (mat.channels() < 3) return;
  with_type(type, [&](auto tag) {
    for (int y = 0; y < mat.rows; ++y) {
      auto* pixel = mat.ptr<typename decltype(tag)::type>(y);
      for (int x = 0; x < mat.cols; ++x, pixel += mat.channels()) std::swap(pixel[0], pixel[2]);
    }
  });
}

}  // namespace

std::string decode_into(const Bytes& content, const MutableView& target) {
  const QuietOpenCv quiet;
  cv::Mat decoded;  // not the target itself: OpenCV does not say whether it has put anything there
  try {
    decoded = cv::imdecode(content, cv::IMREAD_UNCHANGED);
  } catch (const cv::Exception& exception) {
    return exception.err;
  }
  cv::Mat mat = mat_of(target);
  if (decoded.empty()) return "the file is damaged, or of a format that OpenCV does not read";
  if (decoded.size() != mat.size() || decoded.type() != mat.type()) return "its pixels are not what its header says";
  decoded.copyTo(mat);
  swap_red_and_blue(mat, target.format().type);
  return {};
}

std::optional<ImageShape> decoded_shape(const Bytes& content) {
  const QuietOpenCv quiet;
  cv::Mat mat;
  try {
    mat = cv::imdecode(content, cv::IMREAD_UNCHANGED);
  } catch (const cv::Exception&) {
    return std::nullopt;
  }
  const auto type = type_of(mat.depth());
  if (mat.empty() || !type) return std::nullopt;
  return ImageShape{{mat.cols, mat.rows}, {*type, mat.channels()}};
}

Bytes encode(const ConstView& image, const std::string& extension) {
  const QuietOpenCv quiet;
  cv::Mat mat = mat_of(image);
  if (mat.channels() >= 3) {
    mat = mat.clone();
    swap_red_and_blue(mat, image.format().type);
  }
  Bytes content;
  std::string reason = "OpenCV could not encode it";
  try {
    if (cv::imencode(extension, mat, content)) return content;
  } catch (const cv::Exception& exception) {
    reason = exception.err;
  }
  throw RuntimeError(fmt::format("cannot encode an image of {}x{} as {}: {}", mat.cols, mat.rows, extension, reason));
}

}  // namespace tilewright
