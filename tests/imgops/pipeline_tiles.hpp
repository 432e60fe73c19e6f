// Computes fused pipelines tile by tile, as ranks do, and compares them with the references of what was recorded.
#pragma once

#include <utility>

#include "support/reference_run.hpp"
#include "tile_harness.hpp"
#include "tilewright/imgops/fusion.hpp"

namespace tilewright::test {

/// Asks for these images.
inline Pipeline recorded(const std::vector<Image>& images) {
  std::vector<OutputRequest> outputs;
  for (const Image& image : images) outputs.push_back({OutputKind::fetch, image, nullptr, nullptr});
  return record(outputs);
}

/// All images of a pipeline, by index, each operator run on the tiles of a grid.
inline std::vector<Raster> computed_images(const Pipeline& pipeline, const Cut& cut) {
  std::vector<Raster> images;
  for (const PipelineImage& image : pipeline.images) {
    if (image.result > 0) continue;  // made together with the first
    if (image.source) {
      images.push_back(image.source->load({}));
      continue;
    }
    std::vector<const Raster*> wholes;
    for (const int input : image.inputs) wholes.push_back(&images[static_cast<std::size_t>(input)]);
    for (Raster& result : computed_results(*image.op, wholes, cut)) images.push_back(std::move(result));
  }
  return images;
}

/// Whole images and tiles, each in one thread and in several.
inline std::vector<Cut> pipeline_cuts() {
  std::vector<Cut> cuts;
  for (int threads = 1; threads <= 3; ++threads) {
    cuts.push_back({{1, 1}, Outside::border_index, threads});
    cuts.push_back({{2, 3}, Outside::border_index, threads, {1, 2}});
  }
  cuts.push_back({{3, 2}, Outside::fill_border, 1, {2, 0}});
  cuts.push_back({{2, 3}, Outside::made_up, 2, {0, 1}});
  cuts.push_back({{1, 1}, Outside::made_up, 1});
  return cuts;
}

/// Expects fused() to leave every pixel of these images as the references of the recorded operators have it, bit for
/// bit, however the images are cut, at every vector level.
inline void expect_same_as_recorded(const std::vector<Image>& images) {
  const Pipeline all = recorded(images);
  const Pipeline fewer = fused(all);
  ASSERT_EQ(fewer.outputs.size(), all.outputs.size());
  for (const SimdLevel level : simd_levels()) {
    const WithSimdLevel selected(level);
    const std::vector<Raster> wanted = reference_images(all);
    for (const Cut& cut : level == best_simd_level() ? pipeline_cuts() : few_cuts()) {
      const std::vector<Raster> found = computed_images(fewer, cut);
      for (std::size_t i = 0; i < images.size(); ++i) {
        const Raster& expected = wanted[static_cast<std::size_t>(all.outputs[i].image)];
        EXPECT_TRUE(same_pixels(expected.view(), found[static_cast<std::size_t>(fewer.outputs[i].image)].view()))
            << "output " << i << " of\n"
            << fewer.describe() << "on grid " << to_string(cut.grid) << name_of(cut.outside) << cut.threads
            << " threads, " << to_string(level);
      }
    }
  }
}

}  // namespace tilewright::test
