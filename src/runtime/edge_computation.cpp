#include "edge_computation.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "extraction.hpp"
#include "restricted.hpp"
#include "tilewright/core/border_fill.hpp"
#include "tilewright/core/edges.hpp"

namespace tilewright {
namespace {

/// The inputs around a strip, with their borders; one that is read twice is copied once.
class StripCopies {
 public:
  StripCopies(const Operator& op, std::span<const ConstView> inputs, const Rect& strip) {
    for (const ConstView& input : inputs) {
      const std::byte* pixels = input.bytes_at(input.area().x0, input.area().y0);
      const auto [copy, is_new] = copies_.try_emplace(pixels);
      if (is_new) {
        copy->second = extract_tile(input, strip, op.halo());
        const Extent image{input.area().width(), input.area().height()};
        fill_border(copy->second.view(), image, op.halo(), op.border(), op.border_value());
        bytes_ += copy->second.bytes();
      }
      views_.push_back(std::as_const(copy->second).view());
    }
  }
  [[nodiscard]] const std::vector<ConstView>& views() const { return views_; }
  [[nodiscard]] std::int64_t bytes() const { return bytes_; }

 private:
  std::map<const std::byte*, Raster> copies_;
  std::vector<ConstView> views_;
  std::int64_t bytes_ = 0;
};

}  // namespace

std::int64_t compute_without_border(const Operator& op, std::span<const ConstView> inputs,
                                    std::span<const MutableView> outputs, const ComputeContext& context) {
  std::vector<ImageShape> shapes;
  for (const ConstView& input : inputs) {
    shapes.push_back({{input.area().width(), input.area().height()}, input.format()});
  }
  const Edges edges = edges_of(shapes, op.halo());
  if (!edges.middle.empty()) {
    op.compute_all(restricted(inputs, edges.middle), restricted(outputs, edges.middle), context);
  }
  std::int64_t most = 0;
  for (const Rect& strip : edges.strips) {
    const StripCopies copies(op, inputs, strip);
    op.compute_all(copies.views(), restricted(outputs, strip), context);
    most = std::max(most, copies.bytes());
  }
  return most;
}

}  // namespace tilewright
