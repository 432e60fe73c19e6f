// Image: a lazy handle. Operators on it only record.
#pragma once

#include <memory>
#include <vector>

#include "tilewright/pipeline/operator.hpp"

namespace tilewright {

/// How an image comes about: loaded from a source, or an operator applied to other images. Immutable.
struct ImageNode {
  std::shared_ptr<const Source> source;  ///< set for a source, else null
  std::shared_ptr<const Operator> op;    ///< set for the result of an operator, else null
  std::vector<std::shared_ptr<const ImageNode>> inputs;
  ImageShape shape;

  /// Not by recursion: a recorded chain may be longer than the call stack is deep.
  ~ImageNode();
};

/// An image that need not have been computed yet. Cheap to copy; what it is moved from stays the same image.
class Image {
 public:
  /// Throws ParameterError if there is no source, or it has no pixels or more than max_channels channels.
  explicit Image(std::shared_ptr<const Source> source);
  Image(const Image&) = default;
  Image& operator=(const Image&) = default;
  ~Image() = default;

  [[nodiscard]] const ImageShape& shape() const { return node_->shape; }
  [[nodiscard]] std::int64_t width() const { return shape().extent.width; }
  [[nodiscard]] std::int64_t height() const { return shape().extent.height; }
  [[nodiscard]] PixelType type() const { return shape().format.type; }
  [[nodiscard]] int channels() const { return shape().format.channels; }
  [[nodiscard]] const std::shared_ptr<const ImageNode>& node() const { return node_; }

  /// Records `op` applied to `inputs`, at least one. Throws ParameterError if the operator does not accept their
  /// shapes, or its results have another extent or more than max_channels channels.
  friend Image apply(std::shared_ptr<const Operator> op, const std::vector<Image>& inputs);

 private:
  explicit Image(std::shared_ptr<const ImageNode> node) : node_(std::move(node)) {}
  std::shared_ptr<const ImageNode> node_;
};

[[nodiscard]] Image apply(std::shared_ptr<const Operator> op, const std::vector<Image>& inputs);

/// A recorded reduction; its value is had from the session.
struct Reduction {
  Image image;
  std::shared_ptr<const ReductionMethod> method;
};

}  // namespace tilewright
