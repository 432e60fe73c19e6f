// The whole of differential_structure, from a 16-bit TIFF to its files, against the same in plain OpenCV: two programs
// started in turns, their wall time and peak memory.
//
//   whole_benchmark [--size N] [--sigma S] [--threads N] [--rounds N] [--folder F]
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <filesystem>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>
#include <string>
#include <vector>

#include "tilewright/core/error.hpp"
#include "tilewright/core/statistics.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

constexpr double asked_ratio = 1.5;
constexpr double asked_extra_mib = 128;  ///< beyond the input and the outputs
constexpr double mib = 1 << 20;

struct Options {
  int size = 4096;
  double sigma = 3;
  int threads = 2;
  int rounds = 5;
  std::string folder;
};

struct Run {
  double seconds = 0;
  double peak_mib = 0;
};

/// Throws RuntimeError unless the program ends with status 0.
Run run(std::vector<std::string> words) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const auto begin = std::chrono::steady_clock::now();
  pid_t process = 0;
  if (posix_spawn(&process, arguments.front(), nullptr, nullptr, arguments.data(), environ) != 0) {
    throw RuntimeError(fmt::format("cannot start {}: build it first", words.front()));
  }
  int status = 0;
  rusage usage{};
  if (wait4(process, &status, 0, &usage) < 0 || status != 0) {
    throw RuntimeError(fmt::format("failed: {}", fmt::join(words, " ")));
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  return {seconds.count(), static_cast<double>(usage.ru_maxrss) * 1024 / mib};
}

void make_input(const fs::path& file, int size) {
  cv::Mat picture(size, size, CV_16U);
  cv::randu(picture, 0, 65535);
  if (!cv::imwrite(file.string(), picture, {cv::IMWRITE_TIFF_COMPRESSION, 1})) {
    throw RuntimeError("cannot write " + file.string());
  }
}

/// Largest difference of the derivatives, relative to the largest magnitude.
double difference(const fs::path& a, const fs::path& b) {
  double most = 0;
  for (const char* name : {"Lx.tif", "Ly.tif", "Lxx.tif", "Lxy.tif", "Lyy.tif"}) {
    const cv::Mat ours = cv::imread((a / name).string(), cv::IMREAD_UNCHANGED);
    const cv::Mat theirs = cv::imread((b / name).string(), cv::IMREAD_UNCHANGED);
    if (ours.size() != theirs.size() || ours.type() != CV_32F)
      throw RuntimeError(fmt::format("{} is another image", name));
    most = std::max(most, cv::norm(ours, theirs, cv::NORM_INF) / cv::norm(theirs, cv::NORM_INF));
  }
  return most;
}

void compare(const Options& options, const fs::path& bin, const fs::path& folder) {
  const std::string input = (folder / "in.tif").string();
  const std::string ours = (folder / "ours").string();
  const std::string theirs = (folder / "theirs").string();
  make_input(input, options.size);
  std::vector<double> our_seconds, their_seconds;
  double our_peak = 0, their_peak = 0;
  for (int round = 0; round < options.rounds; ++round) {
    fs::remove_all(ours);
    const Run own = run({(bin / "differential_structure").string(), input, ours, "--sigma",
                         fmt::format("{}", options.sigma), fmt::format("--tw-threads={}", options.threads)});
    fs::remove_all(theirs);
    const Run rival = run({(bin / "opencv_structure").string(), input, theirs, fmt::format("{}", options.sigma),
                           std::to_string(options.threads)});
    our_seconds.push_back(own.seconds);
    their_seconds.push_back(rival.seconds);
    our_peak = std::max(our_peak, own.peak_mib);
    their_peak = std::max(their_peak, rival.peak_mib);
  }
  const double pixels = static_cast<double>(options.size) * options.size;
  const double images_mib = pixels * (2 + 5 * 4) / mib;
  const double ratio = median(their_seconds) / median(our_seconds);
  fmt::print(
      "{0}x{0} u16, sigma {1:g}, {2} threads, medians of {3}: ours {4:.3f} s, OpenCV {5:.3f} s, {6:.2f} times as "
      "fast (asked: {7:g}) {8}\n",
      options.size, options.sigma, options.threads, options.rounds, median(our_seconds), median(their_seconds), ratio,
      asked_ratio, ratio >= asked_ratio ? "met" : "MISSED");
  fmt::print(
      "peak memory: ours {:.0f} MiB, OpenCV {:.0f} MiB; input and five outputs are {:.0f} MiB (asked: {:.0f} more at "
      "most) {}\n",
      our_peak, their_peak, images_mib, asked_extra_mib, our_peak <= images_mib + asked_extra_mib ? "met" : "MISSED");
  fmt::print("largest difference: {:.2g} of the largest value\n", difference(ours, theirs));
}

}  // namespace
}  // namespace tilewright

int main(int argc, char** argv) {
  using namespace tilewright;
  Options options;
  CLI::App app("differential_structure against plain OpenCV, as whole programs");
  app.add_option("--size", options.size, "side of the image")->check(CLI::Range(16, 32768));
  app.add_option("--sigma", options.sigma, "scale in pixels");
  app.add_option("--threads", options.threads, "of either program")->check(CLI::Range(1, 1024));
  app.add_option("--rounds", options.rounds, "of which the medians count")->check(CLI::Range(1, 1000));
  app.add_option("--folder", options.folder, "for the files, which are removed (default: a temporary one)");
  CLI11_PARSE(app, argc, argv);
  const fs::path folder = options.folder.empty()
                              ? fs::temp_directory_path() / fmt::format("tilewright_whole_{}", getpid())
                              : fs::path(options.folder) / fmt::format("whole_{}", getpid());
  int status = 0;
  try {
    fs::create_directories(folder);
    compare(options, fs::canonical("/proc/self/exe").parent_path(), folder);
  } catch (const std::exception& error) {
    fmt::print(stderr, "whole_benchmark: {}\n", error.what());
    status = 1;
  }
  fs::remove_all(folder);
  return status;
}
