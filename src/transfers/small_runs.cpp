#include "tilewright/transfers/small_runs.hpp"

#include <algorithm>
#include <cmath>

#include "tilewright/core/rounding.hpp"

namespace tilewright {
namespace {

constexpr std::int64_t pixel_bytes = sizeof(float);
constexpr std::int64_t line_bytes = 64;
/// How deep filters look beyond their tiles, in pixels.
constexpr std::int64_t border = 16;

}  // namespace

TransferSpec transfer_of(const SmallRun& run, TransferKind kind) {
  const std::int64_t bytes = std::max<std::int64_t>(1, run.tile_bytes);
  const double side = std::sqrt(static_cast<double>(bytes * run.ranks) / pixel_bytes);
  const auto row = static_cast<std::int64_t>(pixel_bytes * (run.cuts_rows ? side / run.ranks : side));
  const std::int64_t row_bytes = row < line_bytes ? std::min(bytes, line_bytes) : row / line_bytes * line_bytes;
  const std::int64_t rows = rounded_up(bytes, row_bytes) / row_bytes;
  TransferSpec spec{kind, run.algorithm, {}, {{}, {PixelType::u8, 1}}};
  spec.grid = run.cuts_rows ? ProcessGrid{run.ranks, 1} : ProcessGrid{1, run.ranks};
  spec.image.extent = run.cuts_rows ? Extent{row_bytes * run.ranks, rows} : Extent{row_bytes, rows * run.ranks};
  if (kind == TransferKind::gather) {
    spec.algorithm = Algorithm::shared;
  } else {
    spec.storage = {pixel_bytes * border, border};
    spec.packing = run.packing;
  }
  return spec;
}

}  // namespace tilewright
