// An operator, a reduction, a source and a sink, each described once, with its cost beside it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tilewright/core/border.hpp"
#include "tilewright/core/raster.hpp"

namespace tilewright {

/// A cost annotation: `units` of work of a benchmark key. The scheduler multiplies the units by the profile's seconds.
struct Work {
  std::string key;  ///< what the calibration measured, for example "convolve_separable"
  PixelType type = PixelType::f32;
  double parameter = 0;  ///< what the cost of a unit depends on besides the size, for example the number of taps
  double units = 0;      ///< values processed, channels counted
  bool operator==(const Work&) const = default;
};

/// How a kernel may run on this rank. Its result does not depend on it.
struct ComputeContext {
  int threads = 1;
};

/// A data-parallel image operator: its output has the extent of its inputs, and each output pixel depends on the
/// input pixels within halo() of it. Immutable. All inputs must have the same extent.
class Operator {
 public:
  virtual ~Operator() = default;

  /// Name and every parameter that the result depends on: "gaussian_derivative(sigma=3, order_x=1, order_y=0, ...)".
  [[nodiscard]] virtual std::string describe() const = 0;
  /// Shape of the output. Throws ParameterError for inputs that the operator does not accept.
  [[nodiscard]] virtual ImageShape shape(std::span<const ImageShape> inputs) const = 0;
  /// Pixels read beyond the tile, of every input.
  [[nodiscard]] virtual Halo halo() const { return {}; }
  /// What stands beyond the image's edges; matters only with a halo.
  [[nodiscard]] virtual Border border() const { return Border::reflect101; }
  /// The value of a constant border.
  [[nodiscard]] virtual double border_value() const { return 0; }
  /// The cost of computing a tile of that size. The tile's own pixels, not its halo's.
  [[nodiscard]] virtual std::vector<Work> work(std::span<const ImageShape> inputs, const Extent& tile) const = 0;
  /// Working memory that compute() takes for a tile of that size with one thread, in bytes.
  [[nodiscard]] virtual std::int64_t scratch_bytes(std::span<const ImageShape> /*inputs*/,
                                                   const Extent& /*tile*/) const {
    return 0;
  }
  /// Computes output.area(). The inputs store that area and the halo around it, which is filled in: neighbours' pixels
  /// inside the image, the border's outside. Equal to reference() bit for bit, however the image is cut.
  virtual void compute(std::span<const ConstView> inputs, const MutableView& output,
                       const ComputeContext& context) const = 0;
  /// The sequential oracle: whole images without halo, the simplest code that says what the operator means.
  virtual void reference(std::span<const ConstView> inputs, const MutableView& output) const = 0;
};

/// Condenses an image into one number a channel. Partial results of tiles are merged in any order with the same result.
class ReductionMethod {
 public:
  virtual ~ReductionMethod() = default;

  [[nodiscard]] virtual std::string describe() const = 0;
  /// Size of a partial result, the same on every rank. A partial result is plain bytes, so that it can be sent.
  [[nodiscard]] virtual std::size_t partial_bytes(const PixelFormat& format) const = 0;
  /// The cost of accumulating a tile of that size.
  [[nodiscard]] virtual std::vector<Work> work(const ImageShape& image, const Extent& tile) const = 0;
  /// The partial result of view.area(), written to `partial` (partial_bytes() long, no alignment promised).
  virtual void accumulate(const ConstView& view, std::span<std::byte> partial) const = 0;
  /// Merges `other` into `into`. Exact, so the order does not matter.
  virtual void merge(std::span<std::byte> into, std::span<const std::byte> other, const PixelFormat& format) const = 0;
  /// The values, one a channel, of the merged partial result.
  [[nodiscard]] virtual std::vector<double> finish(std::span<const std::byte> partial,
                                                   const ImageShape& image) const = 0;
  /// The sequential oracle.
  [[nodiscard]] virtual std::vector<double> reference(const ConstView& image) const = 0;
};

/// Where pixels come from. Only the root loads.
class Source {
 public:
  virtual ~Source() = default;
  /// What identifies the pixels, for example the path.
  [[nodiscard]] virtual std::string describe() const = 0;
  [[nodiscard]] virtual ImageShape shape() const = 0;
  [[nodiscard]] virtual std::vector<Work> work() const { return {}; }
  /// Memory taken while loading, besides the raster that is returned, in bytes.
  [[nodiscard]] virtual std::int64_t scratch_bytes() const { return 0; }
  /// The whole image, with room for a halo that is not filled in. Throws RuntimeError or ParameterError.
  [[nodiscard]] virtual Raster load(const Halo& halo) const = 0;
};

/// Where pixels go to. Only the root stores.
class Sink {
 public:
  virtual ~Sink() = default;
  [[nodiscard]] virtual std::string describe() const = 0;
  [[nodiscard]] virtual std::vector<Work> work(const ImageShape& image) const = 0;
  /// Memory taken while storing, in bytes.
  [[nodiscard]] virtual std::int64_t scratch_bytes(const ImageShape& image) const = 0;
  /// Throws ParameterError if an image of that shape cannot be stored there. Touches no file: all ranks may ask.
  virtual void check(const ImageShape& image) const = 0;
  /// Throws RuntimeError if nothing can be written there. Root only; before any work is done.
  virtual void check_writable() const = 0;
  /// Stores the area, aside first and then renamed, so that no half-written output is ever seen.
  virtual void store(const ConstView& image) const = 0;
};

}  // namespace tilewright
