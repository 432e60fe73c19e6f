// What it costs that the data of a message do not lie together, as a function of their blocks and of how they are
// packed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <vector>

#include "tilewright/core/message.hpp"

namespace tilewright {

/// Bytes of one value of a message.
inline constexpr std::int64_t value_bytes = 4;
/// Blocks of non-contiguous data (P-3PC, section 5).
inline constexpr std::int64_t default_blocks = 100;

/// `bytes` bytes in blocks of `block_bytes`, `stride_bytes` from the begin of one to that of the next.
struct BlockShape {
  std::int64_t bytes = 0;
  std::int64_t block_bytes = 0;
  std::int64_t stride_bytes = 0;
  bool operator==(const BlockShape&) const = default;
};

/// The blocks of P-3PC's benchmark (section 5): 100 of them, two block lengths apart.
[[nodiscard]] BlockShape paper_blocks(std::int64_t bytes);

/// What messages in blocks take, from the cells of a calibration: by how much longer than an empty message where MPI
/// packs them (Packing::datatype), for it has ways of its own for what is not contiguous; where they are packed by
/// hand, what that adds to a contiguous message. Seconds.
///
/// They grow with the number of blocks and with the bytes: at a given size and stride they are interpolated linearly
/// between the blocks measured over the number of blocks, 1/length. Between two strides, of which two block lengths are
/// the least, they are linear in the stride as long as blocks are closer together than what a processor reads ahead,
/// and in the logarithm beyond, where pages count. Towards blocks half as long as it, which are two lengths apart, a
/// stride costs what those do. Strides that were not measured with blocks so short at a size cost as much more than the
/// closest ones as they do at the next smaller size. Between sizes they are on a line, for a part is a message's and
/// not its bytes'; below them, too, if that is more than in proportion to the bytes. Where the protocol changes between
/// two sizes, those on either side are on the line of the two on their own side, or in proportion to the bytes if there
/// is but one. A byte costs the same beyond what was measured, but for shorter blocks, of which there are more: the
/// last two lengths tell what each of them costs.
class StrideCosts {
 public:
  struct Row {
    Path path = Path::send;
    Layout layout = Layout::nc;  ///< which ends are not contiguous
    Packing packing = Packing::datatype;
    auto operator<=>(const Row&) const = default;
  };

  /// What a message took; noise may make negative what packing by hand adds.
  void add(const Row& row, const BlockShape& shape, double seconds);
  /// Messages of the path change their protocol at that size, from it on. Ascending.
  void change_protocol(Path path, std::int64_t bytes) { switches_[static_cast<std::size_t>(path)].push_back(bytes); }
  [[nodiscard]] bool has(const Row& row) const { return !sizes_of(row).empty(); }
  /// The longest message that was measured; 0 if none was.
  [[nodiscard]] std::int64_t longest_bytes(const Row& row) const;
  /// None if the row was not measured.
  [[nodiscard]] std::optional<double> seconds(const Row& row, const BlockShape& shape) const;

  bool operator==(const StrideCosts&) const = default;

 private:
  struct Point {
    double x = 0;
    double seconds_a_byte = 0;
    auto operator<=>(const Point&) const = default;
  };
  /// The blocks of one stride.
  struct Curve {
    std::int64_t stride_bytes = 0;  ///< two_lengths: that of each
    std::vector<Point> points;      ///< over 1/length, ascending
    bool operator==(const Curve&) const = default;
  };
  static constexpr std::int64_t two_lengths = 0;
  /// Messages of one size, or nearly: a whole number of blocks.
  struct Size {
    std::int64_t bytes = 0;
    std::vector<Curve> curves;  ///< by their strides, ascending
    bool operator==(const Size&) const = default;
  };
  using Sizes = std::vector<Size>;  ///< ascending
  using Measured = Sizes::const_iterator;
  /// Blocks of one length, which is in the curves.
  struct Blocks {
    double a_byte = 0;
    std::int64_t stride_bytes = 0;
    std::int64_t two_lengths_bytes = 0;
  };
  static double at(const Curve& curve, double x);
  static double at(const Size& size, const Curve& curve, double x);
  static double beyond(const Curve& curve, double x);
  static const Curve* curve_of(const Size& size, std::int64_t stride_bytes, double x);
  static std::optional<double> at_stride(const Sizes& sizes, Measured size, std::int64_t stride_bytes, double x);
  static double seconds_a_byte(const Sizes& sizes, Measured size, const Blocks& blocks);
  static double seconds_on_line(const Sizes& sizes, Measured below, const Blocks& blocks, double bytes);
  [[nodiscard]] std::optional<bool> is_as_larger(Path path, const Size& below, const Size& above,
                                                 std::int64_t bytes) const;
  [[nodiscard]] bool are_alike(Path path, const Size& below, const Size& above) const;
  static std::size_t index_of(const Row& row);
  [[nodiscard]] const Sizes& sizes_of(const Row& row) const { return rows_[index_of(row)]; }

  std::array<Sizes, path_count * std::size(all_layouts) * std::size(all_packings)> rows_;
  std::array<std::vector<std::int64_t>, path_count> switches_;
};

}  // namespace tilewright
