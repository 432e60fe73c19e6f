#include "tilewright/pipeline/image.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace tilewright {
namespace {

/// Of pixels that an operator may read beyond its tile: far more than any tile has, so that sums of a pipeline's halos
/// stay far from what 64 bits hold.
constexpr std::int64_t widest_halo = std::int64_t{1} << 24;

void check_channels(const std::string& subject, int channels) {
  if (channels >= 1 && channels <= max_channels) return;
  throw ParameterError(fmt::format("{}: {} channels, but 1 to {} are supported", subject, channels, max_channels));
}

/// What the runtime relies on when it cuts images into tiles, whoever has written the operator.
void check_promises(const Operator& op, std::span<const ImageShape> inputs) {
  const std::vector<ImageShape> results = op.shapes(inputs);
  if (results.empty() || results.size() != op.results()) {
    throw ParameterError(fmt::format("{}: {} results of {} shapes", op.describe(), op.results(), results.size()));
  }
  for (const ImageShape& result : results) {
    if (result.extent != inputs.front().extent) {
      throw ParameterError(fmt::format("{}: makes an image of {} of one of {}, but operators keep the size of images",
                                       op.describe(), to_string(result.extent), to_string(inputs.front().extent)));
    }
    check_channels(op.describe(), result.format.channels);
  }
  const Halo halo = op.halo();
  if (std::min(halo.x, halo.y) < 0 || std::max(halo.x, halo.y) > widest_halo) {
    throw ParameterError(fmt::format("{}: a halo of {} x {} pixels, but 0 to {} are possible", op.describe(), halo.x,
                                     halo.y, widest_halo));
  }
}

}  // namespace

ImageNode::~ImageNode() {
  std::vector<std::shared_ptr<const ImageNode>> open = std::move(inputs);
  while (!open.empty()) {
    const std::shared_ptr<const ImageNode> node = std::move(open.back());
    open.pop_back();
    if (node.use_count() > 1) continue;
    // Nobody else knows it any more. No node was made const (Image, apply).
    auto& inputs_of_node = const_cast<ImageNode&>(*node).inputs;
    std::move(inputs_of_node.begin(), inputs_of_node.end(), std::back_inserter(open));
    inputs_of_node.clear();
  }
}

Image::Image(std::shared_ptr<const Source> source) {
  if (!source) throw ParameterError("an image needs a source");
  const ImageShape shape = source->shape();
  if (shape.extent.width < 1 || shape.extent.height < 1) {
    throw ParameterError(fmt::format("{}: an image of {} has no pixels", source->describe(), to_string(shape.extent)));
  }
  check_channels(source->describe(), shape.format.channels);
  node_ = std::make_shared<ImageNode>(ImageNode{std::move(source), nullptr, {}, shape});
}

Image apply(std::shared_ptr<const Operator> op, const std::vector<Image>& inputs) {
  if (!op) throw ParameterError("apply: there is no operator");
  if (inputs.empty()) throw ParameterError(fmt::format("{}: an operator needs an image", op->describe()));
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
  check_promises(*node.op, shapes);
  return Image(std::shared_ptr<const ImageNode>(std::make_shared<ImageNode>(std::move(node))));
}

}  // namespace tilewright
