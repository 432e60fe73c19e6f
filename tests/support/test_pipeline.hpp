// Small operators, sources, sinks and reductions, for tests that need a pipeline and not the image library.
#pragma once

#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tilewright/core/border.hpp"
#include "tilewright/pipeline/pipeline.hpp"

namespace tilewright::test {

/// f32 pixels of whole numbers that tell every pixel of an image from its neighbours.
class RampSource final : public Source {
 public:
  struct Options {
    std::string name = "ramp";
    Extent extent = {64, 48};
    int channels = 1;
    std::int64_t scratch = 0;
    std::string work_key = {};  ///< empty: reading costs nothing
    std::string part_key = {};  ///< empty: it is not read in parts
    std::optional<ProcessGrid> tiled_on = {};
    bool resident = false;
  };
  explicit RampSource(Options options) : options_(std::move(options)) {}

  [[nodiscard]] std::string describe() const override { return options_.name; }
  [[nodiscard]] ImageShape shape() const override { return {options_.extent, {PixelType::f32, options_.channels}}; }
  [[nodiscard]] std::vector<Work> work() const override {
    if (options_.work_key.empty()) return {};
    return {{options_.work_key, PixelType::f32, 0, static_cast<double>(options_.extent.pixels() * options_.channels)}};
  }
  [[nodiscard]] std::int64_t scratch_bytes() const override { return options_.scratch; }
  [[nodiscard]] Raster load(const Halo& halo) const override {
    Raster raster(shape(), halo);
    fill(raster.area(), raster.view());
    return raster;
  }
  [[nodiscard]] std::string why_no_parts() const override {
    return options_.part_key.empty() ? "it is a ramp" : std::string();
  }
  [[nodiscard]] std::optional<ProcessGrid> tiled_on() const override { return options_.tiled_on; }
  [[nodiscard]] bool is_resident() const override { return options_.resident; }
  [[nodiscard]] std::string identity() const override { return options_.name; }
  [[nodiscard]] std::vector<Work> part_work(const Extent& part) const override {
    const auto values = static_cast<double>(part.pixels() * options_.channels);
    return {{options_.part_key, PixelType::f32, 0, values, values}};
  }
  void read_part(const Rect& area, const MutableView& target) const override { fill(area, target); }

 private:
  void fill(const Rect& area, const MutableView& target) const {
    for (std::int64_t y = area.y0; y < area.y1; ++y) {
      for (std::int64_t x = area.x0; x < area.x1; ++x) {
        for (int c = 0; c < options_.channels; ++c) {
          target.at<float>(x, y)[c] = static_cast<float>((7 * x + 31 * y + 3 * c + x * y) % 256);
        }
      }
    }
  }

  Options options_;
};

/// The sum of the neighbourhood of a pixel in all inputs; exact in f32 as long as the numbers stay small.
class SumFilter final : public Operator {
 public:
  struct Options {
    std::string name = "sum_filter";
    Halo halo = {};
    Border border = Border::reflect101;
    std::vector<std::string> work_keys = {"sum"};  ///< what a value costs is the sum of these
    double parameter = 0;
    std::int64_t scratch_per_pixel = 0;  ///< bytes
    double piece = 0;                    ///< of the work
    std::string otherwise = {};          ///< what to count for a key that nobody has measured
    std::string taken_off = {};          ///< of the sum, what a value costs by this key
  };
  explicit SumFilter(Options options) : options_(std::move(options)) {}

  [[nodiscard]] std::string describe() const override { return options_.name; }
  [[nodiscard]] ImageShape shape(std::span<const ImageShape> inputs) const override { return inputs.front(); }
  [[nodiscard]] Halo halo() const override { return options_.halo; }
  [[nodiscard]] Border border() const override { return options_.border; }
  [[nodiscard]] std::vector<Work> work(std::span<const ImageShape> inputs, const Extent& tile) const override {
    const auto values = tile.pixels() * inputs.front().format.channels * static_cast<std::int64_t>(inputs.size());
    std::vector<Work> works;
    for (const std::string& key : options_.work_keys) {
      Work& work = works.emplace_back(Work{key, PixelType::f32, options_.parameter, static_cast<double>(values)});
      work.piece = options_.piece;
      if (options_.otherwise.empty()) continue;
      work.otherwise.push_back(work);
      work.otherwise.back().key = options_.otherwise;
    }
    if (!options_.taken_off.empty()) {
      works.push_back({options_.taken_off, PixelType::f32, options_.parameter, -static_cast<double>(values)});
    }
    return works;
  }
  [[nodiscard]] std::int64_t scratch_bytes(std::span<const ImageShape> /*inputs*/, const Extent& tile) const override {
    return options_.scratch_per_pixel * tile.pixels();
  }
  void compute(std::span<const ConstView> inputs, const MutableView& output,
               const ComputeContext& /*context*/) const override {
    sum(inputs, output,
        [](const ConstView& view, std::int64_t x, std::int64_t y, int c) { return view.at<float>(x, y)[c]; });
  }
  void reference(std::span<const ConstView> inputs, const MutableView& output) const override {
    sum(inputs, output, [&](const ConstView& view, std::int64_t x, std::int64_t y, int c) {
      const auto inner_x = border_index(x, view.area().width(), options_.border);
      const auto inner_y = border_index(y, view.area().height(), options_.border);
      return inner_x && inner_y ? view.at<float>(*inner_x, *inner_y)[c] : 0.0F;
    });
  }

 private:
  template <class Pixel>
  void sum(std::span<const ConstView> inputs, const MutableView& output, Pixel pixel) const {
    const Rect area = output.area();
    for (std::int64_t y = area.y0; y < area.y1; ++y) {
      for (std::int64_t x = area.x0; x < area.x1; ++x) {
        for (int c = 0; c < output.format().channels; ++c) {
          float total = 0;
          for (const ConstView& input : inputs) total += neighbourhood(input, x, y, c, pixel);
          output.at<float>(x, y)[c] = total;
        }
      }
    }
  }

  template <class Pixel>
  float neighbourhood(const ConstView& input, std::int64_t x, std::int64_t y, int c, Pixel pixel) const {
    float total = 0;
    for (std::int64_t dy = -options_.halo.y; dy <= options_.halo.y; ++dy) {
      for (std::int64_t dx = -options_.halo.x; dx <= options_.halo.x; ++dx) total += pixel(input, x + dx, y + dy, c);
    }
    return total;
  }

  Options options_;
};

/// The sum of all values of a channel, as a double a channel; exact for whole numbers.
class TotalReduction : public ReductionMethod {
 public:
  explicit TotalReduction(std::string name = "total", std::string work_key = "total")
      : name_(std::move(name)), work_key_(std::move(work_key)) {}

  [[nodiscard]] std::string describe() const override { return name_; }
  [[nodiscard]] std::size_t partial_bytes(const PixelFormat& format) const override {
    return sizeof(double) * static_cast<std::size_t>(format.channels);
  }
  [[nodiscard]] std::vector<Work> work(const ImageShape& image, const Extent& tile) const override {
    return {{work_key_, PixelType::f32, 0, static_cast<double>(tile.pixels() * image.format.channels)}};
  }
  void accumulate(const ConstView& view, std::span<std::byte> partial) const override {
    const std::vector<double> sums = reference(view);
    std::memcpy(partial.data(), sums.data(), partial.size());
  }
  void merge(std::span<std::byte> into, std::span<const std::byte> other, const PixelFormat& format) const override {
    std::vector<double> sums = values(into, format.channels);
    const std::vector<double> more = values(other, format.channels);
    for (std::size_t c = 0; c < sums.size(); ++c) sums[c] += more[c];
    std::memcpy(into.data(), sums.data(), into.size());
  }
  [[nodiscard]] std::vector<double> finish(std::span<const std::byte> partial, const ImageShape& image) const override {
    return values(partial, image.format.channels);
  }
  [[nodiscard]] std::vector<double> reference(const ConstView& image) const override {
    std::vector<double> sums(static_cast<std::size_t>(image.format().channels), 0.0);
    for (std::int64_t y = image.area().y0; y < image.area().y1; ++y) {
      for (std::int64_t x = image.area().x0; x < image.area().x1; ++x) {
        for (std::size_t c = 0; c < sums.size(); ++c) sums[c] += static_cast<double>(image.at<float>(x, y)[c]);
      }
    }
    return sums;
  }

 private:
  static std::vector<double> values(std::span<const std::byte> bytes, int channels) {
    std::vector<double> result(static_cast<std::size_t>(channels));
    std::memcpy(result.data(), bytes.data(), result.size() * sizeof(double));
    return result;
  }

  std::string name_;
  std::string work_key_;
};

/// Keeps what is stored in memory.
class MemorySink final : public Sink {
 public:
  explicit MemorySink(std::string name = "memory", std::int64_t scratch = 0, std::string work_key = "",
                      std::string part_key = "")
      : name_(std::move(name)), scratch_(scratch), work_key_(std::move(work_key)), part_key_(std::move(part_key)) {}

  [[nodiscard]] std::string describe() const override { return name_; }
  [[nodiscard]] std::vector<Work> work(const ImageShape& image) const override {
    if (work_key_.empty()) return {};
    return {{work_key_, PixelType::f32, 0, static_cast<double>(image.extent.pixels() * image.format.channels)}};
  }
  [[nodiscard]] std::int64_t scratch_bytes(const ImageShape& /*image*/) const override { return scratch_; }
  void check(const ImageShape& /*image*/) const override {}
  void check_writable() const override {}
  void store(const ConstView& image) const override {
    Raster copy(image.area(), {}, image.format());
    copy_pixels(image, copy.view(), image.area());
    *stored_ = std::move(copy);
  }
  [[nodiscard]] std::string why_no_parts(const ImageShape& /*image*/) const override {
    return part_key_.empty() ? "it is memory" : std::string();
  }
  [[nodiscard]] std::vector<Work> part_work(const ImageShape& image, const Extent& part) const override {
    const auto values = static_cast<double>(part.pixels() * image.format.channels);
    return {{part_key_, PixelType::f32, 0, values, values}};
  }
  /// What was stored last; empty before.
  [[nodiscard]] const Raster& stored() const { return *stored_; }

 private:
  std::string name_;
  std::int64_t scratch_;
  std::string work_key_;
  std::string part_key_;
  std::shared_ptr<Raster> stored_ = std::make_shared<Raster>();
};

inline Image source(RampSource::Options options = {}) {
  return Image(std::make_shared<RampSource>(std::move(options)));
}
inline Image filter(const std::vector<Image>& inputs, SumFilter::Options options = {}) {
  return tilewright::apply(std::make_shared<SumFilter>(std::move(options)), inputs);
}
inline OutputRequest write(const Image& image, const std::string& name = "memory") {
  return {OutputKind::write, image, std::make_shared<MemorySink>(name), nullptr};
}
inline OutputRequest reduce(const Image& image) {
  return {OutputKind::reduce, image, nullptr, std::make_shared<TotalReduction>()};
}
inline OutputRequest fetch(const Image& image) {
  return {OutputKind::fetch, image, nullptr, nullptr};
}
inline OutputRequest keep(const Image& image) {
  return {OutputKind::keep, image, nullptr, nullptr};
}

}  // namespace tilewright::test
