#include "tilewright/transfers/small_runs.hpp"

#include <algorithm>
#include <cmath>

#include "tilewright/core/rounding.hpp"
#include "tilewright/model/warmth.hpp"

namespace tilewright {
namespace {

constexpr std::int64_t pixel_bytes = sizeof(float);
constexpr std::int64_t line_bytes = 64;
/// How deep filters look beyond their tiles, in pixels.
constexpr std::int64_t border = 16;

}  // namespace

TransferSpec transfer_of_small_run(const PathCell& cell, TransferKind kind, int ranks) {
  const std::int64_t bytes = std::max<std::int64_t>(1, cell.bytes);
  const double side = std::sqrt(static_cast<double>(bytes * ranks) / pixel_bytes);
  const bool is_cut = cell.layout == Layout::nn;
  const auto row = static_cast<std::int64_t>(pixel_bytes * (is_cut ? side / ranks : side));
  const std::int64_t row_bytes = row < line_bytes ? std::min(bytes, line_bytes) : row / line_bytes * line_bytes;
  const std::int64_t rows = rounded_up(bytes, row_bytes) / row_bytes;
  TransferSpec spec{kind, Algorithm::shared, {}, {{}, {PixelType::u8, 1}}};
  spec.grid = is_cut ? ProcessGrid{ranks, 1} : ProcessGrid{1, ranks};
  spec.image.extent = is_cut ? Extent{row_bytes * ranks, rows} : Extent{row_bytes, rows * ranks};
  if (kind == TransferKind::gather) return spec;
  if (warm_path(cell.path).cold == Path::message_scatter) spec.algorithm = Algorithm::oft;
  spec.storage = {pixel_bytes * border, border};
  spec.packing = cell.packing;
  return spec;
}

}  // namespace tilewright
