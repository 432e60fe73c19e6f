#include "serving_all.hpp"

namespace tilewright {

std::vector<bool> images_serving_all(const Pipeline& pipeline) {
  std::vector<bool> serves_all(pipeline.images.size(), false);
  for (const PipelineOutput& output : pipeline.outputs) {
    if (output.kind == OutputKind::fetch) serves_all[static_cast<std::size_t>(output.image)] = true;
  }
  for (int i = static_cast<int>(pipeline.images.size()); i-- > 0;) {  // made of those before
    if (!serves_all[static_cast<std::size_t>(i)]) continue;
    const PipelineImage& image = pipeline.image(i);
    if (image.result > 0) serves_all[static_cast<std::size_t>(i - 1)] = true;
    for (const int input : image.inputs) serves_all[static_cast<std::size_t>(input)] = true;
  }
  for (std::size_t i = 1; i < serves_all.size(); ++i) {
    if (pipeline.images[i].result > 0) serves_all[i] = serves_all[i - 1];
  }
  return serves_all;
}

bool serves_all(const Pipeline& pipeline) {
  const std::vector<bool> all = images_serving_all(pipeline);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i] && pipeline.images[i].op) return true;
  }
  return false;
}

}  // namespace tilewright
