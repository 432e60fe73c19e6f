// What is measured of a machine: a message, or a unit of an operator's work, and the time that it takes.
#pragma once

#include <cstdint>
#include <string>

#include "tilewright/core/message.hpp"
#include "tilewright/core/pixel.hpp"

namespace tilewright {

/// A measured time with what is known of its spread.
struct Estimate {
  double seconds = 0;        ///< the fitted value
  double spread_s = 0;       ///< half the interquartile range of the samples
  std::int64_t samples = 0;  ///< how many measurements it stands on; 0 if it was imported
  bool operator==(const Estimate&) const = default;
};

/// So many samples tell their own spread.
inline constexpr std::int64_t samples_enough = 5;

/// Of the fitted value, the median of its samples, as if they were of a normal distribution. Seconds; 0 without
/// samples.
[[nodiscard]] double standard_error_s(const Estimate& time);

/// Within which two values may differ by chance: the spread, or twice the standard error of many samples if that is
/// less, for their middle is known better than any of them. Seconds.
[[nodiscard]] double noise_s(const Estimate& time);

/// T(path, layout, bytes), constants included (REFERENCE section 1). Beyond the paper: sent with that packing, of
/// blocks of `block_bytes` bytes, `stride_bytes` apart at each end that is not contiguous. 0: those of the paper, 100
/// blocks that are two block lengths apart.
struct PathCell {
  Path path = Path::send;
  Layout layout = Layout::cc;
  std::int64_t bytes = 0;
  Estimate time;
  Packing packing = Packing::datatype;
  std::int64_t block_bytes = 0;
  std::int64_t stride_bytes = 0;
  bool within_node = false;  ///< between ranks of one node, where those are told apart from messages between nodes
  [[nodiscard]] bool has_paper_blocks() const { return block_bytes == 0; }
  bool operator==(const PathCell&) const = default;
};

/// Cells that differ in their sizes only.
struct CellRow {
  Path path = Path::send;
  Layout layout = Layout::cc;
  Packing packing = Packing::datatype;
  auto operator<=>(const CellRow&) const = default;
};
[[nodiscard]] constexpr CellRow cell_row(const PathCell& cell) {
  return {cell.path, cell.layout, cell.packing};
}

/// Time of one unit of work of a benchmark key on one rank, on a tile of that many pixels.
struct OperatorCell {
  std::string key;  ///< for example "convolve_separable"
  PixelType type = PixelType::f32;
  double parameter = 0;  ///< what the cost depends on besides the size: the number of taps; 0 if nothing
  double tile_pixels = 0;
  Estimate time_per_unit;
  int ranks = 1;    ///< at work at the same time, each on a tile of its own: they share caches and memory
  int threads = 1;  ///< of a rank, that share the work on its tile
  bool operator==(const OperatorCell&) const = default;
};

}  // namespace tilewright
