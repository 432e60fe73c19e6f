// What the kernels are worth beside OpenCV's, measured in turns in one run: Gaussian derivatives against
// cv::sepFilter2D with the same kernels on the same pixels, a gradient of two square kernels against cv::filter2D, and
// a chain of operators against one of them.
//
//   kernels_benchmark [--only jets|sizes|types|gradient|chain]... [--rounds N] [--threads N] [--size N] [--simd LEVEL]
//   [--format text|json]
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <nlohmann/json.hpp>
#include <opencv2/core.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "kernel_sides.hpp"
#include "roofline.hpp"
#include "tilewright/core/error.hpp"
#include "tilewright/core/statistics.hpp"
#include "tilewright/imgops/arithmetic.hpp"
#include "tilewright/imgops/fusion.hpp"
#include "tilewright/imgops/simd.hpp"
#include "tilewright/pipeline/pipeline.hpp"

namespace tilewright {
namespace {

using Clock = std::chrono::steady_clock;
using Json = nlohmann::ordered_json;
using namespace performance;

constexpr std::string_view schema = "tilewright.kernels/1";
constexpr double sigmas[] = {1, 3, 5};
constexpr double roofline_aim = 0.6;
constexpr double roofline_defect = 0.4;  // below that something is wrong

struct Options {
  std::vector<std::string> only;  ///< none: all
  std::string format = "text";
  std::string simd;  ///< none: the highest level
  int rounds = 9;
  int threads = std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, 2);
  std::int64_t size = 4096;
};

/// Medians.
struct Times {
  double ours_s = 0;
  double rival_s = 0;
  std::optional<double> roofline = {};  ///< share of what the machine can do in the same moments
};

/// What the machine can do at the moment, and how much of it a run needs.
struct Ceiling {
  const RooflineProbe& probe;
  double bytes = 0;
  double flops = 0;
};

/// Seconds of one run, of several in a row.
double seconds_of(int repeats, const std::function<void()>& run) {
  const Clock::time_point begin = Clock::now();
  for (int i = 0; i < repeats; ++i) run();
  return std::chrono::duration<double>(Clock::now() - begin).count() / repeats;
}

/// So many that the clock and an interruption count little. The run for it also warms up.
int repeats_of(const std::function<void()>& run) {
  constexpr double sample_seconds = 5e-3;
  constexpr double most = 1000;
  return static_cast<int>(std::clamp(sample_seconds / seconds_of(1, run), 1.0, most));
}

/// In turns, so that whatever else the machine does meets all alike.
Times measured_in_turns(int rounds, const std::function<void()>& ours, const std::function<void()>& rival,
                        const std::optional<Ceiling>& ceiling = {}) {
  const int our_repeats = repeats_of(ours);
  const int rival_repeats = repeats_of(rival);
  std::vector<double> our_seconds;
  std::vector<double> rival_seconds;
  std::vector<double> shares;
  for (int round = 0; round < rounds; ++round) {
    our_seconds.push_back(seconds_of(our_repeats, ours));
    if (ceiling) shares.push_back(ceiling->probe.now().seconds(ceiling->bytes, ceiling->flops) / our_seconds.back());
    rival_seconds.push_back(seconds_of(rival_repeats, rival));
  }
  return {median(our_seconds), median(rival_seconds), ceiling ? std::optional(median(shares)) : std::nullopt};
}

/// Of a kernel of that order, folded: a pair of taps takes an addition and a multiply-add, and the first product is not
/// added to anything. An even kernel has a tap in its centre besides.
double folded_flops(double sigma, int order) {
  const int centre = order % 2 == 0 ? 2 : 0;
  return 3 * gaussian_radius(sigma, order) + centre - 1;
}

/// Each distinct kernel once along the rows, and one along the columns for each result.
double flops_a_pixel(const Filters& filters) {
  double flops = 0;
  std::set<int> row_orders;
  for (const Orders& orders : filters.orders) {
    if (row_orders.insert(orders.x).second) flops += folded_flops(filters.sigma, orders.x);
    flops += folded_flops(filters.sigma, orders.y);
  }
  return flops;
}

/// The input is read once, and each result written once. Of f32 with one channel.
Ceiling ceiling_of(const RooflineProbe& probe, const Extent& extent, const Filters& filters) {
  const auto pixels = static_cast<double>(extent.pixels());
  const auto images = static_cast<double>(1 + filters.orders.size());
  return {probe, sizeof(float) * images * pixels, flops_a_pixel(filters) * pixels};
}

/// A bound of the ratio.
struct Asked {
  double ratio = 1;
  bool at_least = true;  ///< else at most

  [[nodiscard]] bool met_by(double value) const { return at_least ? value >= ratio : value <= ratio; }
};

/// One comparison.
struct Row {
  std::string part;  ///< jets, sizes, types, gradient or chain
  ImageShape image;
  std::optional<double> sigma;
  int threads = 1;
  Times times;
  double ratio = 0;
  std::optional<Asked> asked;
};

std::string asked_text(const Row& row) {
  if (!row.asked) return "";
  return fmt::format("{} {:g} {}", row.asked->at_least ? ">=" : "<=", row.asked->ratio,
                     row.asked->met_by(row.ratio) ? "met" : "MISSED");
}

std::string roofline_text(const Row& row) {
  if (!row.times.roofline) return "";
  const std::string share = fmt::format("{:.0f} %", 100 * *row.times.roofline);
  if (*row.times.roofline < roofline_defect)
    return share + fmt::format(" DEFECT: below {:.0f} %", 100 * roofline_defect);
  if (*row.times.roofline < roofline_aim) return share + fmt::format(" below the aim of {:.0f} %", 100 * roofline_aim);
  return share;
}

void print_heading(const std::string& title, const std::string& rival) {
  fmt::print("\n{}\n{:<20} {:>5} {:>7} {:>12} {:>16} {:>7}  {:<12} {}\n", title, "image", "sigma", "threads", "ours ms",
             rival + " ms", "ratio", "asked", "of the roofline");
}

void print_row(const Row& row) {
  const std::string sigma = row.sigma ? fmt::format("{:g}", *row.sigma) : "";
  fmt::print("{:<20} {:>5} {:>7} {:>12.3f} {:>16.3f} {:>7.2f}  {:<12} {}\n", to_string(row.image), sigma, row.threads,
             1e3 * row.times.ours_s, 1e3 * row.times.rival_s, row.ratio, asked_text(row), roofline_text(row));
  std::fflush(stdout);
}

Json to_json(const Roofline& roofline) {
  return {{"threads", roofline.threads}, {"bytes_per_s", roofline.bytes_per_s}, {"flops_per_s", roofline.flops_per_s}};
}

Json to_json(const Row& row) {
  Json json{{"part", row.part},
            {"image", to_string(row.image.extent)},
            {"type", to_string(row.image.format.type)},
            {"channels", row.image.format.channels},
            {"sigma", nullptr},
            {"threads", row.threads},
            {"ours_s", row.times.ours_s},
            {"rival_s", row.times.rival_s},
            {"ratio", row.ratio},
            {"asked", nullptr},
            {"roofline", nullptr}};
  if (row.sigma) json["sigma"] = *row.sigma;
  if (row.asked) {
    json["asked"] = {{row.asked->at_least ? "at_least" : "at_most", row.asked->ratio},
                     {"met", row.asked->met_by(row.ratio)}};
  }
  if (row.times.roofline) json["roofline"] = *row.times.roofline;
  return json;
}

class Benchmark {
 public:
  explicit Benchmark(Options options) : options_(std::move(options)) {}

  void run() {
    if (wanted("jets")) jets();
    if (wanted("sizes")) sizes();
    if (wanted("types")) types();
    if (wanted("gradient")) square_kernels();
    if (wanted("chain")) chain();
    if (!is_text()) print_json();
  }

 private:
  [[nodiscard]] bool is_text() const { return options_.format == "text"; }
  [[nodiscard]] bool wanted(const std::string& part) const {
    return options_.only.empty() || std::find(options_.only.begin(), options_.only.end(), part) != options_.only.end();
  }
  [[nodiscard]] std::vector<int> thread_counts() const {
    return options_.threads > 1 ? std::vector<int>{1, options_.threads} : std::vector<int>{1};
  }

  /// The best that was found is told; what counts is what the machine can do between the runs.
  void jets() {
    if (is_text()) fmt::print("what this machine can do at best, vectors: {}\n", to_string(current_simd_level()));
    Raster pixels = test_pixels(square(options_.size));
    for (const int threads : thread_counts()) {
      const RooflineProbe probe(threads);
      const Roofline& roofline = rooflines_.emplace_back(probe.best());
      if (is_text()) {
        fmt::print("  threads {}: {:.1f} GB/s, one image read and five written; {:.1f} Gflop/s\n", threads,
                   1e-9 * roofline.bytes_per_s, 1e-9 * roofline.flops_per_s);
      }
      heading("Five derivatives", "sepFilter2D");
      for (const double sigma : sigmas) {
        const Filters filters = five_derivatives(sigma);
        Row row = filtered("jets", pixels, filters, threads, ceiling_of(probe, pixels.shape().extent, filters));
        row.asked = Asked{.ratio = threads == 1 ? 3.0 : 5.0};
        add(std::move(row));
      }
    }
  }

  void sizes() {
    heading("Five derivatives of smaller images", "sepFilter2D");
    for (const std::int64_t size : {64, 128, 256, 512, 1024, 2048}) {
      Raster pixels = test_pixels(square(size));
      for (const double sigma : sigmas) {
        Row row = filtered("sizes", pixels, five_derivatives(sigma), 1);
        row.asked = Asked{};
        add(std::move(row));
      }
    }
  }

  void types() {
    heading("One derivative along x, of each type", "sepFilter2D");
    for (const PixelType type : all_pixel_types) {
      for (const int channels : {1, 3}) {
        Raster pixels = test_pixels(square(2048, {type, channels}));
        Row row = filtered("types", pixels, {3, {{1, 0}}}, 1);
        row.asked = Asked{};
        add(std::move(row));
      }
    }
  }

  void square_kernels() {
    heading("Gradient by two kernels of 3x3, in one pass", "filter2D");
    const ImageShape shape = square(2048);
    Raster pixels = test_pixels(shape);
    for (const int threads : thread_counts()) {
      cv::setNumThreads(threads);
      OurSide ours(fused(record({keep(gradient(input_image(shape)))})), pixels, threads);
      OpenCvGradient theirs(pixels);
      ours.run();
      theirs.run();
      check_alike(ours.output(0), theirs.output(), "the gradient");
      const Times times = measured_in_turns(
          options_.rounds, [&] { ours.run(); }, [&] { theirs.run(); });
      Row row{"gradient", shape, std::nullopt, threads, times, times.rival_s / times.ours_s, {}};
      row.asked = Asked{};
      add(std::move(row));
    }
  }

  void chain() {
    heading("Ten pointwise operators in one pass, against one of them", "one operator");
    const ImageShape shape = square(4096);
    const Image in = input_image(shape);
    const Raster pixels = test_pixels(shape);
    for (const int threads : thread_counts()) {
      check_chain(threads);
      OurSide ten(fused(record({keep(ten_operators(in))})), pixels, threads);
      OurSide one(fused(record({keep(in * 1.01)})), pixels, threads);
      const Times times = measured_in_turns(
          options_.rounds, [&] { ten.run(); }, [&] { one.run(); });
      Row row{"chain", shape, std::nullopt, threads, times, times.ours_s / times.rival_s, {}};
      row.asked = Asked{.ratio = 1.5, .at_least = false};
      add(std::move(row));
    }
  }

  [[nodiscard]] Row filtered(const std::string& part, Raster& pixels, const Filters& filters, int threads,
                             const std::optional<Ceiling>& ceiling = {}) const {
    cv::setNumThreads(threads);
    OurSide ours(derivatives(pixels.shape(), filters), pixels, threads);
    OpenCvSide theirs(pixels, filters);
    check_alike(ours, theirs, pixels.shape(), filters);
    const Times times = measured_in_turns(
        options_.rounds, [&] { ours.run(); }, [&] { theirs.run(); }, ceiling);
    return {part, pixels.shape(), filters.sigma, threads, times, times.rival_s / times.ours_s, {}};
  }

  void heading(const std::string& title, const std::string& rival) const {
    if (is_text()) print_heading(title, rival);
  }

  void add(Row row) {
    if (is_text()) print_row(row);
    rows_.push_back(std::move(row));
  }

  void print_json() const {
    Json json{{"schema", schema},
              {"rounds", options_.rounds},
              {"vectors", to_string(current_simd_level())},
              {"roofline_aim", roofline_aim},
              {"roofline_defect", roofline_defect},
              {"rooflines", Json::array()},
              {"rows", Json::array()}};
    for (const Roofline& roofline : rooflines_) json["rooflines"].push_back(to_json(roofline));
    for (const Row& row : rows_) json["rows"].push_back(to_json(row));
    fmt::print("{}\n", json.dump(2));
  }

  Options options_;
  std::vector<Roofline> rooflines_;  ///< one a number of threads
  std::vector<Row> rows_;
};

}  // namespace
}  // namespace tilewright

int main(int argc, char** argv) {
  using namespace tilewright;
  Options options;
  CLI::App app("The kernels beside cv::sepFilter2D, on this machine");
  app.add_option("--only", options.only, "a part (repeatable; default: all)")
      ->check(CLI::IsMember({"jets", "sizes", "types", "gradient", "chain"}));
  app.add_option("--rounds", options.rounds, "in which both sides take turns (default 9)")->check(CLI::Range(1, 10000));
  app.add_option("--threads", options.threads,
                 "of the jets, the gradient and the chain, besides one (default: the cores, up to 2)")
      ->check(CLI::Range(1, 1024));
  app.add_option("--size", options.size, "of the jets' image, its width and height (default 4096)")
      ->check(CLI::Range(1, 32768));
  app.add_option("--simd", options.simd,
                 "vector level of our side: scalar, sse4, avx2 or avx512 (default: the highest)");
  app.add_option("--format", options.format, "text or json")->check(CLI::IsMember({"text", "json"}));
  CLI11_PARSE(app, argc, argv);
  try {
    if (!options.simd.empty()) select_simd_level(parse_simd_level(options.simd));
    Benchmark(options).run();
  } catch (const std::exception& error) {
    fmt::print(stderr, "kernels_benchmark: {}\n", error.what());
    return 1;
  }
  return 0;
}
