// What it costs that the data of a message do not lie together, as a function of their blocks and of how they are
// packed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
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

/// The seconds by which a message takes longer than a contiguous one, from the cells of a calibration. That time grows
/// with the number of blocks and with the bytes: at a given size and stride it is interpolated linearly between the
/// blocks measured over the number of blocks, 1/length. Between a stride of two block lengths and the least of the
/// wider ones that were measured, where each block has lines of the cache of its own, it is interpolated in the
/// logarithm. Between sizes it is on a line, for a part of it is a message's and not its bytes'; below them, too, if
/// that is more than in proportion to the bytes. Where the protocol changes between two sizes, those on either side
/// cost a byte what the measured one on their side does. A byte costs the same beyond what was measured, but for
/// shorter blocks, of which there are more: the last two lengths tell what each of them costs.
class StrideCosts {
 public:
  struct Row {
    Path path = Path::send;
    Layout layout = Layout::nc;  ///< which ends are not contiguous
    Packing packing = Packing::datatype;
    auto operator<=>(const Row&) const = default;
  };

  /// `extra_s`: how much longer than a contiguous message of that path and size, in pieces if those of the row are;
  /// noise may make it negative.
  void add(const Row& row, const BlockShape& shape, double extra_s);
  /// Messages of the path change their protocol at that size, from it on. Ascending.
  void change_protocol(Path path, std::int64_t bytes) { switches_[static_cast<std::size_t>(path)].push_back(bytes); }
  [[nodiscard]] bool has(const Row& row) const { return !sizes_of(row).empty(); }
  /// None if the row was not measured.
  [[nodiscard]] std::optional<double> extra_seconds(const Row& row, const BlockShape& shape) const;

  bool operator==(const StrideCosts&) const = default;

 private:
  struct Point {
    double x = 0;
    double seconds_a_byte = 0;
    auto operator<=>(const Point&) const = default;
  };
  using Curve = std::vector<Point>;  ///< over 1/length, ascending
  struct Strides {
    std::int64_t bytes = 0;
    Curve near;
    Curve far;
    bool operator==(const Strides&) const = default;
  };
  using Sizes = std::vector<Strides>;  ///< ascending
  /// Blocks as the curves have them.
  struct Place {
    double blocks_a_byte = 0;
    double far_share = 0;
  };
  static double interpolated(const Curve& curve, double x);
  static double beyond(const Curve& curve, double x);
  static double seconds_a_byte(const Strides& measured, const Place& place);
  [[nodiscard]] double far_share(const BlockShape& shape) const;
  [[nodiscard]] std::optional<bool> is_as_larger(Path path, const Strides& below, const Strides& above,
                                                 std::int64_t bytes) const;
  static double on_line_through(const Strides& below, const Strides& above, const Place& place, double bytes);
  static std::size_t index_of(const Row& row);
  [[nodiscard]] const Sizes& sizes_of(const Row& row) const { return rows_[index_of(row)]; }

  std::array<Sizes, path_count * std::size(all_layouts) * std::size(all_packings)> rows_;
  std::array<std::vector<std::int64_t>, path_count> switches_;
  std::int64_t far_stride_bytes_ = std::numeric_limits<std::int64_t>::max();  ///< the least that is not near
};

}  // namespace tilewright
