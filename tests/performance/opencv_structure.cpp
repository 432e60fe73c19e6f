// What differential_structure does, as one would write it with OpenCV alone: the rival of whole_benchmark.
//
//   opencv_structure INPUT OUTDIR SIGMA THREADS
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <numbers>
#include <opencv2/core.hpp>
#include <opencv2/core/utility.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <utility>

#include "tilewright/imgops/gaussian.hpp"

namespace {

/// The same kernels, so that both do the same work.
cv::Mat taps(double sigma, int order) {
  cv::Mat result;
  cv::Mat(tilewright::gaussian_kernel(sigma, order)).convertTo(result, CV_32F);
  return result;
}

bool run(const std::filesystem::path& input, const std::filesystem::path& folder, double sigma) {
  const cv::Mat stored = cv::imread(input.string(), cv::IMREAD_UNCHANGED);
  if (stored.empty()) return false;
  const double full_scale = stored.depth() == CV_8U ? 255 : (stored.depth() == CV_16U ? 65535 : 1);
  cv::Mat pixels;
  stored.convertTo(pixels, CV_32F);
  std::filesystem::create_directories(folder);
  const auto derivative = [&](int order_x, int order_y) {
    cv::Mat result;
    cv::sepFilter2D(pixels, result, CV_32F, taps(sigma, order_x), taps(sigma, order_y), {-1, -1}, 0,
                    cv::BORDER_REFLECT_101);
    return result;
  };
  const auto write = [&](const char* name, const cv::Mat& image) {
    return cv::imwrite((folder / name).string(), image, {cv::IMWRITE_TIFF_COMPRESSION, 1});  // none
  };
  const cv::Mat lx = derivative(1, 0);
  const cv::Mat ly = derivative(0, 1);
  cv::Mat magnitude, picture;
  cv::magnitude(lx, ly, magnitude);
  const double edge = full_scale / (sigma * std::sqrt(2 * std::numbers::pi));
  magnitude.convertTo(picture, CV_8U, 4 * 255 / edge);
  return write("Lx.tif", lx) && write("Ly.tif", ly) &&
         cv::imwrite((folder / "gradient_magnitude.png").string(), picture) && write("Lxx.tif", derivative(2, 0)) &&
         write("Lxy.tif", derivative(1, 1)) && write("Lyy.tif", derivative(0, 2));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fputs("usage: opencv_structure INPUT OUTDIR SIGMA THREADS\n", stderr);
    return 2;
  }
  cv::setNumThreads(std::atoi(argv[4]));
  if (run(argv[1], argv[2], std::atof(argv[3]))) return 0;
  std::fprintf(stderr, "opencv_structure: cannot read %s or write to %s\n", argv[1], argv[2]);
  return 1;
}
