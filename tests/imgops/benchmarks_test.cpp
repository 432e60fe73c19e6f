#include "tilewright/imgops/benchmarks.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "tilewright/imgops/arithmetic.hpp"
#include "tilewright/imgops/convolution.hpp"
#include "tilewright/imgops/files.hpp"
#include "tilewright/imgops/gaussian.hpp"
#include "tilewright/imgops/reductions.hpp"

namespace tilewright {
namespace {

Image image_of(PixelType type, int channels) {
  return Image(assumed_file("absent.tif", {{64, 48}, {type, channels}}));
}

std::vector<Image> every_operator(PixelType type) {
  const Image a = image_of(type, 3);
  std::vector<Image> results{a + a,
                             a - a,
                             a * a,
                             a / a,
                             min(a, a),
                             max(a, a),
                             a + 1.0,
                             1.0 - a,
                             a * 2.0,
                             a / 2.0,
                             min(a, 1),
                             max(a, 1),
                             sqrt(a),
                             abs(a),
                             threshold(a, {.level = 1}),
                             convolve(a, {3, 3, std::vector<double>(9, 1)}),
                             gaussian_derivative(a, {.sigma = 2}),
                             convolve_separable(a, {1, 2}, {3})};
  for (const PixelType target : all_pixel_types) {
    results.push_back(convert(a, target));
    results.push_back(a + image_of(target, 3));
    results.push_back(min(a, image_of(target, 3)));
  }
  return results;
}

/// All that any operator, reduction, source or sink can name.
std::vector<Work> every_work() {
  std::vector<Work> works;
  const auto add = [&](const std::vector<Work>& more) { works.insert(works.end(), more.begin(), more.end()); };
  for (const PixelType type : all_pixel_types) {
    for (const Image& image : every_operator(type)) {
      std::vector<ImageShape> shapes;
      for (const auto& input : image.node()->inputs) shapes.push_back(input->shape);
      add(image.node()->op->work(shapes, {16, 8}));
    }
    const Image image = image_of(type, 1);
    for (const Reduction& reduction : {sum(image), mean(image), min(image), max(image)}) {
      add(reduction.method->work(image.shape(), {16, 8}));
    }
    add(image_in_memory(Raster(image.shape()), "memory")->work());
    for (const char* name : {"a.tif", "a.png", "a.jpg", "a.bmp", "a.pgm", "a.ppm", "a.pnm"}) {
      for (const int channels : {1, 3}) {
        const ImageShape shape{{64, 48}, {type, channels}};
        try {
          image_file_sink(name)->check(shape);
        } catch (const ParameterError&) {
          continue;  // that format does not store it
        }
        add(image_file_sink(name)->work(shape));
        add(assumed_file(name, shape)->work());
      }
    }
  }
  return works;
}

TEST(Benchmarks, CoverEveryWork) {
  const std::vector<OperatorBenchmark>& list = operator_benchmarks();
  for (const Work& work : every_work()) {
    EXPECT_GT(work.units, 0) << work.key;
    const auto covers = [&](const OperatorBenchmark& benchmark) {
      return benchmark.key == work.key && std::count(benchmark.types.begin(), benchmark.types.end(), work.type) == 1;
    };
    EXPECT_EQ(std::count_if(list.begin(), list.end(), covers), 1) << work.key << " " << to_string(work.type);
  }
}

TEST(Benchmarks, HaveAKeyOnce) {
  std::set<std::string> keys;
  for (const OperatorBenchmark& benchmark : operator_benchmarks()) {
    EXPECT_TRUE(keys.insert(benchmark.key).second) << benchmark.key;
    EXPECT_FALSE(benchmark.parameters.empty()) << benchmark.key;
  }
  EXPECT_TRUE(keys.contains("copy"));
}

TEST(Benchmarks, RunForEveryTypeParameterAndOddTile) {
  for (const OperatorBenchmark& benchmark : operator_benchmarks()) {
    for (const PixelType type : benchmark.types) {
      for (const double parameter : benchmark.parameters) {
        for (const Extent& tile : {Extent{1, 1}, {37, 21}}) {
          const PreparedBenchmark prepared = benchmark.prepare(type, parameter, tile);
          const bool is_of_edges = benchmark.key == "fill_border";
          EXPECT_GE(prepared.units, is_of_edges ? 8 : static_cast<double>(tile.pixels())) << benchmark.key;
          prepared.run();
          prepared.run();
          EXPECT_EQ(prepared.run_shared != nullptr, benchmark.is_shared_by_threads) << benchmark.key;
          if (prepared.run_shared) prepared.run_shared(2);
        }
      }
    }
  }
}

TEST(Benchmarks, LeaveNoFiles) {
  const auto& list = operator_benchmarks();
  const auto png = std::find_if(list.begin(), list.end(), [](const auto& entry) { return entry.key == "write_png"; });
  ASSERT_NE(png, list.end());
  const std::filesystem::path own =
      std::filesystem::temp_directory_path() / ("tilewright-test-" + std::to_string(getpid()));
  std::filesystem::create_directory(own);
  setenv("TMPDIR", own.c_str(), 1);  // others make and remove files in the common one
  {
    const PreparedBenchmark prepared = png->prepare(PixelType::u8, 0, {20, 20});
    prepared.run();
    EXPECT_FALSE(std::filesystem::is_empty(own));
  }
  unsetenv("TMPDIR");
  EXPECT_TRUE(std::filesystem::is_empty(own));
  std::filesystem::remove_all(own);
}

}  // namespace
}  // namespace tilewright
