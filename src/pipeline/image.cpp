#include "tilewright/pipeline/image.hpp"

#include <fmt/format.h>

namespace tilewright {

Image::Image(std::shared_ptr<const Source> source) {
  const ImageShape shape = source->shape();
  if (shape.extent.width < 1 || shape.extent.height < 1) {
    throw ParameterError(fmt::format("{}: an image of {} has no pixels", source->describe(), to_string(shape.extent)));
  }
  if (shape.format.channels < 1 || shape.format.channels > max_channels) {
    throw ParameterError(fmt::format("{}: {} channels, but 1 to {} are supported", source->describe(),
                                     shape.format.channels, max_channels));
  }
  node_ = std::make_shared<const ImageNode>(ImageNode{std::move(source), nullptr, {}, shape});
}

Image apply(std::shared_ptr<const Operator> op, const std::vector<Image>& inputs) {
  ImageNode node{nullptr, std::move(op), {}, {}};
  std::vector<ImageShape> shapes;
  for (const Image& input : inputs) {
    node.inputs.push_back(input.node());
    shapes.push_back(input.shape());
    if (input.shape().extent != inputs.front().shape().extent) {
      throw ParameterError(fmt::format("{}: its images differ in size: {} and {}", node.op->describe(),
                                       to_string(inputs.front().shape().extent), to_string(input.shape().extent)));
    }
  }
  node.shape = node.op->shape(shapes);
  return Image(std::make_shared<const ImageNode>(std::move(node)));
}

}  // namespace tilewright
