// What the kernels benchmark runs, on the same pixels: pipelines by our operators, and the same by OpenCV.
#pragma once

#include <array>
#include <cstdint>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tilewright/core/raster.hpp"
#include "tilewright/imgops/gaussian.hpp"
#include "tilewright/pipeline/pipeline.hpp"

namespace tilewright::performance {

/// Of a derivative.
struct Orders {
  int x = 0;
  int y = 0;
};

/// Derivatives of one image at one scale.
struct Filters {
  double sigma = 1;
  std::vector<Orders> orders;
};

/// All up to second order.
[[nodiscard]] Filters five_derivatives(double sigma);

[[nodiscard]] ImageShape square(std::int64_t size, const PixelFormat& format = {});

/// Blocks, and noise upon them: neither side may profit from what the pixels are.
[[nodiscard]] Raster test_pixels(const ImageShape& shape);

/// Written once, so that nobody pays for fresh pages.
[[nodiscard]] Raster touched(const ImageShape& shape);

[[nodiscard]] OutputRequest keep(const Image& image);

/// Nobody loads it: the pixels are handed in beside the pipeline.
[[nodiscard]] Image input_image(const ImageShape& shape);

[[nodiscard]] Pipeline derivatives(const ImageShape& shape, const Filters& filters);

[[nodiscard]] Image ten_operators(const Image& image);

inline constexpr std::array<std::array<double, 9>, 2> gradient_kernels{
    {{3, 0, -3, 10, 0, -10, 3, 0, -3}, {3, 10, 3, 0, 0, 0, -3, -10, -3}}};

/// The magnitude of what two kernels of 3x3 make, which nobody knows to be separable.
[[nodiscard]] Image gradient(const Image& image);

/// Runs the operators of a pipeline as the runtime does on one rank, without the runtime. The first image must be its
/// source, and the only one that is read with a halo.
class OurSide {
 public:
  OurSide(Pipeline pipeline, const Raster& pixels, int threads) : pipeline_(std::move(pipeline)), threads_(threads) {
    for (const PipelineImage& image : pipeline_.images) {
      images_.push_back(image.source ? pixels.copy(pipeline_.whole_halo(0)) : touched(image.shape));
    }
    for (const Task& task : pipeline_.tasks) {
      if (task.kind == Task::Kind::obtain) add_call(static_cast<std::size_t>(task.index));
    }
  }

  /// Every time with the border, which sepFilter2D makes every time, too.
  void run() {
    for (const Call& call : calls_) call.op->compute_all(call.inputs, call.outputs, {threads_});
  }

  [[nodiscard]] Raster& output(std::size_t index) {
    return images_[static_cast<std::size_t>(pipeline_.outputs[index].image)];
  }

 private:
  struct Call {
    const Operator* op;
    std::vector<ConstView> inputs;
    std::vector<MutableView> outputs;
  };

  void add_call(std::size_t first) {
    const PipelineImage& made = pipeline_.images[first];
    if (!made.op) return;
    Call call{made.op.get(), {}, {}};
    for (const int input : made.inputs) {
      call.inputs.push_back(std::as_const(images_[static_cast<std::size_t>(input)]).view());
    }
    for (std::size_t i = 0; i < made.op->results(); ++i) call.outputs.push_back(images_[first + i].view());
    calls_.push_back(std::move(call));
  }

  Pipeline pipeline_;
  int threads_;
  std::vector<Raster> images_;
  std::vector<Call> calls_;
};

[[nodiscard]] int depth_of(PixelType type);

/// The same memory, so that neither side has the better pages. The raster must have no halo.
[[nodiscard]] cv::Mat mat_of(Raster& raster);

/// sepFilter2D, once a filter.
class OpenCvSide {
 public:
  /// The pixels must outlive this; they are not written to, but a cv::Mat knows no const.
  OpenCvSide(Raster& pixels, const Filters& filters)
      : source_(mat_of(pixels)), type_(computing_type(pixels.format().type)) {
    const ImageShape result{pixels.shape().extent, {type_, pixels.format().channels}};
    for (const Orders& orders : filters.orders) {
      outputs_.push_back(touched(result));
      filters_.push_back({taps(filters.sigma, orders.x), taps(filters.sigma, orders.y), mat_of(outputs_.back())});
    }
  }

  void run() {
    for (Filter& filter : filters_) {
      cv::sepFilter2D(source_, filter.result, depth_of(type_), filter.x, filter.y, {-1, -1}, 0, cv::BORDER_REFLECT_101);
    }
  }

  [[nodiscard]] const cv::Mat& output(std::size_t index) const { return filters_[index].result; }

 private:
  struct Filter {
    cv::Mat x;
    cv::Mat y;
    cv::Mat result;
  };

  /// Ours are in the order of correlation, as OpenCV wants them. In the type that is computed in: it need not convert.
  [[nodiscard]] cv::Mat taps(double sigma, int order) const {
    cv::Mat result;
    cv::Mat(gaussian_kernel(sigma, order)).convertTo(result, depth_of(type_));
    return result;
  }

  cv::Mat source_;
  PixelType type_;
  std::vector<Raster> outputs_;
  std::vector<Filter> filters_;
};

/// The gradient by filter2D, twice, and magnitude.
class OpenCvGradient {
 public:
  /// The pixels must outlive this, as above.
  explicit OpenCvGradient(Raster& pixels) : source_(mat_of(pixels)) {
    for (const std::array<double, 9>& values : gradient_kernels) {
      cv::Mat taps(3, 3, CV_32F);
      // A kernel reads backwards, filter2D does not.
      std::copy(values.rbegin(), values.rend(), taps.begin<float>());
      kernels_.push_back(taps);
      images_.push_back(touched(pixels.shape()));
    }
    images_.push_back(touched(pixels.shape()));
    for (Raster& image : images_) results_.push_back(mat_of(image));
  }

  void run() {
    for (std::size_t i = 0; i < kernels_.size(); ++i) {
      cv::filter2D(source_, results_[i], CV_32F, kernels_[i], {-1, -1}, 0, cv::BORDER_REFLECT_101);
    }
    cv::magnitude(results_[0], results_[1], results_[2]);
  }

  [[nodiscard]] const cv::Mat& output() const { return results_.back(); }

 private:
  cv::Mat source_;
  std::vector<cv::Mat> kernels_;
  std::vector<Raster> images_;
  std::vector<cv::Mat> results_;
};

/// Throws RuntimeError unless both are the same but for rounding.
void check_alike(Raster& ours, const cv::Mat& theirs, const std::string& what);

/// Runs both. Throws RuntimeError unless they come to the same: a faster way to something else proves nothing.
void check_alike(OurSide& ours, OpenCvSide& theirs, const ImageShape& shape, const Filters& filters);

/// Throws RuntimeError unless ten operators at once make the pixels of ten operators one after the other.
void check_chain(int threads);

}  // namespace tilewright::performance
