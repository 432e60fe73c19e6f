#include "alike_operators.hpp"

#include <algorithm>
#include <array>
#include <typeinfo>

namespace tilewright {
namespace {

/// Whole, in strips, and odd: what depends on a side of a tile or on how many pixels it has differs among them.
std::array<Extent, 6> sampled_tiles(const Extent& whole) {
  const auto part = [](std::int64_t side, std::int64_t parts) { return std::max<std::int64_t>(1, side / parts); };
  return {whole,
          Extent{whole.width, part(whole.height, 8)},
          Extent{part(whole.width, 8), whole.height},
          Extent{part(whole.width, 3), part(whole.height, 5)},
          Extent{part(whole.width, 31), part(whole.height, 29)},
          Extent{1, 1}};
}

std::vector<std::vector<Work>> sampled_works(const PipelineImage& image, const std::vector<ImageShape>& inputs) {
  std::vector<std::vector<Work>> works;
  for (const Extent& tile : sampled_tiles(image.shape.extent)) works.push_back(image.op->work(inputs, tile));
  return works;
}

bool are_of_one_class(const PipelineImage& a, const PipelineImage& b) {
  const Operator& one = *a.op;
  const Operator& other = *b.op;
  return typeid(one) == typeid(other) && a.result == b.result && a.shape == b.shape && one.halo() == other.halo();
}

}  // namespace

std::vector<std::size_t> alike_operators(const Pipeline& pipeline) {
  struct Kind {
    std::size_t first = 0;
    std::vector<ImageShape> inputs;
    std::vector<std::vector<Work>> works;
  };
  std::vector<Kind> kinds;
  std::vector<std::size_t> first;
  for (std::size_t i = 0; i < pipeline.images.size(); ++i) {
    const PipelineImage& image = pipeline.images[i];
    first.push_back(i);
    if (!image.op) continue;
    Kind own{i, pipeline.input_shapes(static_cast<int>(i)), {}};
    own.works = sampled_works(image, own.inputs);
    const auto known = std::find_if(kinds.begin(), kinds.end(), [&](const Kind& kind) {
      return are_of_one_class(pipeline.images[kind.first], image) && kind.inputs == own.inputs &&
             kind.works == own.works;
    });
    if (known != kinds.end()) {
      first.back() = known->first;
    } else {
      kinds.push_back(std::move(own));
    }
  }
  return first;
}

}  // namespace tilewright
