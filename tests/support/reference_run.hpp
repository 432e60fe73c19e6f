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
    if (image.result > 0) continue;  // made together with the first
    std::vector<MutableView> outputs;
    const std::size_t first = images.size();
    for (const ImageShape& shape : image.op->shapes(pipeline.input_shapes(static_cast<int>(first)))) {
      images.emplace_back(shape);
    }
    for (std::size_t i = first; i < images.size(); ++i) outputs.push_back(images[i].view());
    image.op->reference_all(inputs, outputs);
  }
  return images;
}

}  // namespace tilewright::test
