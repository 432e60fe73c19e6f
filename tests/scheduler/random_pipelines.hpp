// Small pipelines that differ from seed to seed, the same on every machine.
#pragma once

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "support/test_pipeline.hpp"
#include "tilewright/model/machine_profile.hpp"

namespace tilewright::test {

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  /// 0 to n - 1.
  int below(int n) { return static_cast<int>(engine_() % static_cast<unsigned>(n)); }
  /// From `low` to `high`, all orders of magnitude alike.
  double between(double low, double high) {
    constexpr int steps = 1000;
    return low * std::pow(high / low, static_cast<double>(below(steps + 1)) / steps);
  }
  template <class Element>
  Element one_of(const std::vector<Element>& elements) {
    return elements[static_cast<std::size_t>(below(static_cast<int>(elements.size())))];
  }

 private:
  std::mt19937 engine_;
};

/// One or two sources of that size, up to six operators with and without halos, wrapped or not, of one input or two
/// (branches and joins), and one to four outputs. An operator's work has one of the keys.
inline Pipeline random_pipeline(Random& random, const Extent& extent = {64, 48},
                                const std::vector<std::string>& keys = {"sum"}) {
  std::vector<Image> images;
  for (int i = 0; i <= random.below(2); ++i) {
    images.push_back(source({.name = "source" + std::to_string(i), .extent = extent}));
  }
  const int operators = 1 + random.below(6);
  for (int i = 0; i < operators; ++i) {
    std::vector<Image> inputs;
    for (int k = 0; k <= random.below(2); ++k) inputs.push_back(random.one_of(images));
    const Halo halo = random.one_of<Halo>({{0, 0}, {2, 2}, {0, 1}});
    const Border border = random.below(2) == 0 ? Border::wrap : Border::reflect;
    const std::string key = keys.size() == 1 ? keys.front() : random.one_of(keys);
    images.push_back(
        filter(inputs, {.name = "op" + std::to_string(i), .halo = halo, .border = border, .work_keys = {key}}));
  }
  std::vector<OutputRequest> outputs;
  for (int i = 0; i <= random.below(4); ++i) {
    const Image image = i == 0 ? images.back() : random.one_of(images);
    outputs.push_back(random.one_of<OutputRequest>({write(image), reduce(image), fetch(image), keep(image)}));
  }
  return record(outputs);
}

/// The same pipeline, with some of its sources in files that ranks can read in parts, at least the first, and some of
/// its outputs in files that they can write in parts.
inline Pipeline with_files(Random& random, Pipeline pipeline) {
  bool is_first = true;
  for (PipelineImage& image : pipeline.images) {
    if (!image.source) continue;
    const bool in_file = is_first || random.below(3) > 0;
    is_first = false;
    if (!in_file) continue;
    image.source = std::make_shared<RampSource>(RampSource::Options{.name = image.source->describe(),
                                                                    .extent = image.shape.extent,
                                                                    .channels = image.shape.format.channels,
                                                                    .work_key = "read",
                                                                    .part_key = "part"});
  }
  for (PipelineOutput& output : pipeline.outputs) {
    if (output.kind != OutputKind::write || random.below(3) == 0) continue;
    output.sink = std::make_shared<MemorySink>("file", 0, "write", "part");
  }
  return pipeline;
}

/// The same with some of its sources on the tiles of a grid, if there is one, and images kept instead of written.
inline Pipeline with_kept(Random& random, Pipeline pipeline, const std::optional<ProcessGrid>& grid) {
  for (PipelineImage& image : pipeline.images) {
    if (!image.source || !grid || random.below(4) == 0) continue;
    image.source = std::make_shared<RampSource>(RampSource::Options{.name = image.source->describe(),
                                                                    .extent = image.shape.extent,
                                                                    .channels = image.shape.format.channels,
                                                                    .part_key = "part",
                                                                    .tiled_on = grid});
  }
  for (PipelineOutput& output : pipeline.outputs) {
    if (output.kind == OutputKind::write && random.below(3) > 0)
      output = {OutputKind::keep, output.image, nullptr, nullptr};
  }
  return pipeline;
}

/// The same with most images fetched that were written or kept: a program that wants much on all ranks.
inline Pipeline with_fetched(Random& random, Pipeline pipeline) {
  for (PipelineOutput& output : pipeline.outputs) {
    const bool is_stored = output.kind == OutputKind::write || output.kind == OutputKind::keep;
    if (is_stored && random.below(5) > 0) output = {OutputKind::fetch, output.image, nullptr, nullptr};
  }
  return pipeline;
}

/// The same profile on which files cost something, too.
inline MachineProfile with_file_costs(Random& random, const MachineProfile& profile) {
  std::vector<OperatorCell> operators = profile.operators();
  for (const char* key : {"read", "write", "part"}) {
    operators.push_back({key, PixelType::f32, 0, 4096, {random.between(1e-10, 1e-6), 0, 0}});
  }
  return {profile.name(), profile.fingerprint(), profile.paths(), std::move(operators)};
}

/// Of every image of the pipeline, whether it is in such a file.
inline std::vector<bool> in_parts(const Pipeline& pipeline) {
  std::vector<bool> all;
  for (const PipelineImage& image : pipeline.images) {
    all.push_back(image.source && image.source->why_no_parts().empty());
  }
  return all;
}

/// Of every output, the same.
inline std::vector<bool> out_parts(const Pipeline& pipeline) {
  std::vector<bool> all;
  for (const PipelineOutput& output : pipeline.outputs) {
    const ImageShape& shape = pipeline.images[static_cast<std::size_t>(output.image)].shape;
    all.push_back(output.kind == OutputKind::write && output.sink->why_no_parts(shape).empty());
  }
  return all;
}

/// Up to six small filters one after another, now and then with an operator without a halo or with two inputs between
/// them: halos that are worth having deep.
inline Pipeline random_chain(Random& random, const Extent& extent, const std::vector<std::string>& keys) {
  std::vector<Image> images{source({.extent = extent})};
  const int operators = 2 + random.below(5);
  for (int i = 0; i < operators; ++i) {
    std::vector<Image> inputs{images.back()};
    if (random.below(5) == 0) inputs.push_back(random.one_of(images));
    const Halo halo = random.one_of<Halo>({{1, 1}, {1, 1}, {2, 0}, {0, 0}});
    const Border border = random.below(8) == 0 ? Border::wrap : Border::reflect;
    images.push_back(
        filter(inputs,
               {.name = "op" + std::to_string(i), .halo = halo, .border = border, .work_keys = {random.one_of(keys)}}));
  }
  std::vector<OutputRequest> outputs{random.one_of<OutputRequest>({write(images.back()), fetch(images.back())})};
  if (random.below(4) == 0) outputs.push_back(keep(random.one_of(images)));
  return record(outputs);
}

/// Up to five filters that reach far along x, or far along y, or not far at all, one after another or side by side:
/// tiles of one grid do not suit them all.
inline Pipeline random_wide_and_tall(Random& random, const Extent& extent, const std::vector<std::string>& keys) {
  std::vector<Image> images{source({.extent = extent})};
  const Halo wide{1 + random.below(8), 0};
  const Halo tall{0, 1 + random.below(8)};
  const int operators = 2 + random.below(4);
  for (int i = 0; i < operators; ++i) {
    std::vector<Image> inputs{random.below(3) == 0 ? random.one_of(images) : images.back()};
    if (random.below(4) == 0) inputs.push_back(random.one_of(images));
    const Halo halo = i < 2 ? (i == 0 ? wide : tall) : random.one_of<Halo>({wide, tall, {0, 0}, {1, 1}});
    const Border border = random.below(4) == 0 ? Border::wrap : Border::reflect;
    images.push_back(
        filter(inputs,
               {.name = "op" + std::to_string(i), .halo = halo, .border = border, .work_keys = {random.one_of(keys)}}));
  }
  std::vector<OutputRequest> outputs;
  for (int i = 0; i <= random.below(2); ++i) {
    const Image image = i == 0 ? images.back() : random.one_of(images);
    outputs.push_back(random.one_of<OutputRequest>({write(image), reduce(image), fetch(image)}));
  }
  return record(outputs);
}

}  // namespace tilewright::test
