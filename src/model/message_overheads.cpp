#include "tilewright/model/message_overheads.hpp"

#include <algorithm>
#include <optional>

namespace tilewright {
namespace {

/// As short as what a reduction yields.
constexpr double bytes = 8;

constexpr const char* key_of(Path path) {
  return path == Path::send ? "send_after_computing" : "recv_after_computing";
}

}  // namespace

OperatorCell message_overhead_cell(Path path) {
  return {key_of(path), PixelType::u8, 0, bytes, {}};
}

bool is_message_overhead(const OperatorCell& cell) {
  return cell.key == key_of(Path::send) || cell.key == key_of(Path::recv);
}

double overhead_beyond_stream_s(const MachineProfile& profile, Path path) {
  const OperatorCell cell = message_overhead_cell(path);
  const std::optional<double> seconds = profile.operator_seconds(cell.key, cell.type, cell.parameter, cell.tile_pixels);
  if (!seconds || !profile.has(path, Layout::cc)) return 0;
  return std::max(0.0, *seconds - profile.path_seconds(path, Layout::cc, bytes));
}

}  // namespace tilewright
