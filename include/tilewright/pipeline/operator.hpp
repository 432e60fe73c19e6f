// An operator, a reduction, a source and a sink, each described once, with its cost beside it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tilewright/core/border.hpp"
#include "tilewright/core/grid.hpp"
#include "tilewright/core/raster.hpp"

namespace tilewright {

/// A cost annotation: `units` of work of a benchmark key. The scheduler multiplies the units by the profile's seconds.
struct Work {
  std::string key;  ///< what the calibration measured, for example "convolve_separable"
  PixelType type = PixelType::f32;
  double parameter = 0;  ///< what the cost of a unit depends on besides the size, for example the number of taps
  double units = 0;      ///< values processed, channels counted
  double piece = 0;      ///< pixels that are worked on at a time where they stay in a near cache; 0: the whole tile
  std::vector<Work> otherwise = {};  ///< what to count instead if nobody has measured the key
  bool operator==(const Work&) const = default;
};

/// How a kernel may run on this rank. Its result does not depend on it.
struct ComputeContext {
  int threads = 1;
};

/// Receives results piece by piece.
class PieceSink {
 public:
  virtual ~PieceSink() = default;
  /// Where the piece's results go, one view a result, each of which stores the piece.
  [[nodiscard]] virtual std::span<const MutableView> targets(const Rect& piece) = 0;
  /// The piece has been computed, and is still in a near cache.
  virtual void done(const Rect& piece) = 0;
};

/// Operators with a neighbourhood on one input, computed in one pass over it. Immutable.
class JointOperator {
 public:
  virtual ~JointOperator() = default;
  /// The cost of computing a tile of that size; `stored` of the results go to memory, the others are handed on piece by
  /// piece.
  [[nodiscard]] virtual std::vector<Work> work(const ImageShape& input, const Extent& tile,
                                               std::size_t stored) const = 0;
  /// Working memory of a thread for a tile of that size, in bytes.
  [[nodiscard]] virtual std::int64_t scratch_bytes(const ImageShape& input, const Extent& tile) const = 0;
  /// How large a piece of a tile of that width can be.
  [[nodiscard]] virtual Extent largest_piece(const ImageShape& input, std::int64_t width) const = 0;
  /// Computes `area` in one thread, in pieces that cover it once. `input` stores it and the halo around it, filled in;
  /// where it stores less, the image ends, and the operators' border begins.
  /// With `streamed`, nobody reads the results piece by piece.
  virtual void compute(const ConstView& input, const Rect& area, PieceSink& sink, bool streamed) const = 0;
};

/// A data-parallel image operator: its output has the extent of its inputs, and each output pixel depends on the
/// input pixels within halo() of it. Immutable, so several threads may ask it at once. All inputs must have the same
/// extent.
class Operator {
 public:
  virtual ~Operator() = default;

  /// Name and every parameter that the result depends on: "gaussian_derivative(sigma=3, order_x=1, order_y=0, ...)".
  [[nodiscard]] virtual std::string describe() const = 0;
  /// The same for a reader who knows the pipeline; may leave out what is long.
  [[nodiscard]] virtual std::string summary() const { return describe(); }
  /// How many images it makes; nearly every operator makes one.
  [[nodiscard]] virtual std::size_t results() const { return 1; }
  /// Shape of the output, the first of several. Throws ParameterError for inputs that the operator does not accept.
  [[nodiscard]] virtual ImageShape shape(std::span<const ImageShape> inputs) const = 0;
  /// Shapes of all results.
  [[nodiscard]] virtual std::vector<ImageShape> shapes(std::span<const ImageShape> inputs) const {
    return {shape(inputs)};
  }
  /// Pixels read beyond the tile, of every input.
  [[nodiscard]] virtual Halo halo() const { return {}; }
  /// What stands beyond the image's edges; matters only with a halo.
  [[nodiscard]] virtual Border border() const { return Border::reflect101; }
  /// The value of a constant border.
  [[nodiscard]] virtual double border_value() const { return 0; }
  /// Whether compute() makes the border up as it reads. Then an input need store nothing that is outside of the image:
  /// where the halo reaches beyond what a view stores, the image ends.
  [[nodiscard]] virtual bool makes_border() const { return false; }
  /// The cost of computing a tile of that size. The tile's own pixels, not its halo's.
  [[nodiscard]] virtual std::vector<Work> work(std::span<const ImageShape> inputs, const Extent& tile) const = 0;
  /// Working memory that compute() takes for a tile of that size with one thread, in bytes.
  [[nodiscard]] virtual std::int64_t scratch_bytes(std::span<const ImageShape> /*inputs*/,
                                                   const Extent& /*tile*/) const {
    return 0;
  }
  /// This operator and `others`, which read the same input with the same border, in one pass; each result equals that
  /// of the operator alone, bit for bit. Null if they cannot be computed together, or had better not be.
  [[nodiscard]] virtual std::shared_ptr<const JointOperator> joined_with(
      std::span<const Operator* const> /*others*/) const {
    return nullptr;
  }
  /// Computes output.area(). The inputs store that area and the halo around it, which is filled in: neighbours' pixels
  /// inside the image, the border's outside (unless makes_border()). Equal to reference() bit for bit, however the
  /// image is cut.
  virtual void compute(std::span<const ConstView> inputs, const MutableView& output,
                       const ComputeContext& context) const = 0;
  /// All results, of the same area.
  virtual void compute_all(std::span<const ConstView> inputs, std::span<const MutableView> outputs,
                           const ComputeContext& context) const {
    compute(inputs, outputs.front(), context);
  }
  /// The sequential oracle: whole images without halo, the simplest code that says what the operator means.
  virtual void reference(std::span<const ConstView> inputs, const MutableView& output) const = 0;
  /// All results.
  virtual void reference_all(std::span<const ConstView> inputs, std::span<const MutableView> outputs) const {
    reference(inputs, outputs.front());
  }
};

/// Condenses an image into one number a channel. Partial results of tiles are merged in any order with the same result.
/// Immutable, so several threads may ask it at once.
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

/// Where pixels come from. Only the root loads whole images.
class Source {
 public:
  virtual ~Source() = default;
  /// What identifies the pixels, for example the path.
  [[nodiscard]] virtual std::string describe() const = 0;
  [[nodiscard]] virtual ImageShape shape() const = 0;
  [[nodiscard]] virtual std::vector<Work> work() const { return {}; }
  /// Memory taken while loading, besides the raster that is returned, in bytes.
  [[nodiscard]] virtual std::int64_t scratch_bytes() const { return 0; }
  /// True if the pixels are in memory anyway: load() then lends them as they are, and takes no memory.
  [[nodiscard]] virtual bool is_resident() const { return false; }
  /// The whole image, with room for a halo that is not filled in. Throws RuntimeError or ParameterError.
  [[nodiscard]] virtual Raster load(const Halo& halo) const = 0;
  /// The whole image into memory that is there; unless a source does it itself, by a copy of what it loads. Throws as
  /// load() does, and RuntimeError if the image is no longer that of `target`.
  virtual void load_into(const MutableView& target) const;

  /// Why ranks cannot read parts of it, each by itself; empty if they can, as of a file that all of them see. What the
  /// root says counts.
  [[nodiscard]] virtual std::string why_no_parts() const { return "it is no file"; }
  /// The grid on whose tiles alone the pixels are, each rank having its own: that is what read_part() can read then,
  /// and the image as a whole cannot be loaded. None where it can.
  [[nodiscard]] virtual std::optional<ProcessGrid> tiled_on() const { return std::nullopt; }
  /// Of what this rank would read parts of: equal on all ranks that see the same. Empty if it sees nothing.
  [[nodiscard]] virtual std::string identity() const { return {}; }
  /// The cost of reading a part of that extent while the other ranks read theirs.
  [[nodiscard]] virtual std::vector<Work> part_work(const Extent& /*part*/) const { return {}; }
  /// Reads `area` into memory that stores it. On any rank whose identity() is the root's. Throws as load() does.
  virtual void read_part(const Rect& area, const MutableView& target) const;
};

/// Stores one image, whose rows come from top to bottom. Destroyed before commit(), it leaves nothing behind.
class ImageWriter {
 public:
  virtual ~ImageWriter() = default;
  /// The rows below those that came before, in full width. Throws RuntimeError.
  virtual void put(const ConstView& rows) = 0;
  /// After the last row: all is stored, aside where that is possible. Throws RuntimeError.
  virtual void finish() = 0;
  /// After finish(), and that of all others that are to be there together: what was stored takes its place. Throws
  /// RuntimeError.
  virtual void commit() {}
};

/// An output into which ranks write parts, each its own. On the root. Destroyed before it has finished, it leaves
/// nothing behind, nor if the process is killed, as far as its node outlives it.
class PartsOutput {
 public:
  virtual ~PartsOutput() = default;
  /// What the others have to be told to write there.
  [[nodiscard]] virtual std::string place() const = 0;
  /// After all parts: what was written takes its place. Throws RuntimeError.
  virtual void finish() = 0;
};

/// Where pixels go to. Only the root stores whole images.
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
  /// Stores the area, aside first and then renamed, so that no half-written output is ever seen. In any thread, while
  /// others store to other sinks.
  virtual void store(const ConstView& image) const = 0;
  /// For an image that comes row by row; as long as the sink lives. Unless a sink can do better, rows are collected,
  /// and stored at their place when they are finished.
  [[nodiscard]] virtual std::unique_ptr<ImageWriter> open(const ImageShape& image) const;
  /// Memory that such a writer takes at most, in bytes.
  [[nodiscard]] virtual std::int64_t writer_bytes(const ImageShape& image) const {
    return image.bytes() + scratch_bytes(image);
  }

  /// Why ranks cannot write parts of such an image, each by itself; empty if they can, as into a file that all see.
  [[nodiscard]] virtual std::string why_no_parts(const ImageShape& /*image*/) const { return "it is no file"; }
  /// The cost of writing a part of that extent while the other ranks write theirs.
  [[nodiscard]] virtual std::vector<Work> part_work(const ImageShape& /*image*/, const Extent& /*part*/) const {
    return {};
  }
  /// The cost of making what they write into and of finishing it, the root's alone.
  [[nodiscard]] virtual std::vector<Work> frame_work(const ImageShape& /*image*/) const { return {}; }
  /// For ranks to write into. Root only. Throws RuntimeError.
  [[nodiscard]] virtual std::unique_ptr<PartsOutput> open_parts(const ImageShape& image) const;
  /// What open_parts() would begin with, to ask the other ranks whether they see it; soon destroyed. Root only. Throws
  /// RuntimeError.
  [[nodiscard]] virtual std::unique_ptr<PartsOutput> open_probe() const;
  /// Whether this rank could write there.
  [[nodiscard]] virtual bool sees(const std::string& /*place*/) const { return false; }
  /// Writes the area to where the root's output is. Throws RuntimeError.
  virtual void write_part(const std::string& place, const ImageShape& image, const ConstView& part) const;
  /// What the names of files begin with that this process makes for open_parts() and open_probe(); empty if it makes
  /// none.
  [[nodiscard]] virtual std::string parts_mark() const { return {}; }
  /// Removes what a root with that mark has left there and gone. Throws nothing, in any thread.
  virtual void discard_parts(const std::string& /*mark*/) const noexcept {}
};

}  // namespace tilewright
