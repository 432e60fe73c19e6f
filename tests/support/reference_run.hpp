// The sequential reference of a whole pipeline: every operator by its reference(), on whole images.
#pragma once

#include <vector>

#include "tilewright/pipeline/pipeline.hpp"

namespace tilewright::test {

/// All images of a pipeline, by index.
inline std::vector<Raster> reference_images(const Pipeline& pipeline) {
  std::vector<Raster> images;
  for (const PipelineImage& image : pipeline.images) {
    if (image.source) {
      images.push_back(image.source->load({}));
      continue;
    }
    std::vector<ConstView> inputs;
    for (const int input : image.inputs)
      inputs.push_back(std::as_const(images[static_cast<std::size_t>(input)]).view());
    Raster output(image.shape);
    image.op->reference(inputs, output.view());
    images.push_back(std::move(output));
  }
  return images;
}

}  // namespace tilewright::test
