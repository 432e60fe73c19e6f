#include "tilewright/runtime/reduction_tree.hpp"

#include <algorithm>

#include "tilewright/runtime/schedule_runner.hpp"

namespace tilewright {
namespace {

ImageShape row_of_bytes(std::size_t bytes) {
  return {{static_cast<std::int64_t>(bytes), 1}, {PixelType::u8, 1}};
}

}  // namespace

std::vector<std::byte> gather_partials(std::span<const std::byte> partial, int ranks, Algorithm algorithm,
                                       const Communicator& communicator) {
  const ProcessGrid row{ranks, 1};
  const ImageShape all = row_of_bytes(partial.size() * static_cast<std::size_t>(ranks));
  const Schedule schedule =
      make_schedule({.kind = TransferKind::gather, .algorithm = algorithm, .grid = row, .image = all});
  Raster tile(schedule.tiles[static_cast<std::size_t>(communicator.rank())], {}, all.format);
  std::ranges::copy(partial, tile.view().bytes_at(tile.area().x0, 0));
  Raster whole;
  ScheduleBuffers buffers{.tile = tile.view()};
  if (communicator.is_root()) {
    whole = Raster(all);
    buffers.whole = whole.view();
  }
  run_schedule(schedule, buffers, communicator);
  if (!communicator.is_root()) return {};
  const std::byte* begin = whole.view().bytes_at(0, 0);
  return {begin, begin + whole.bytes()};
}

void broadcast_bytes(std::span<std::byte> bytes, int ranks, Algorithm algorithm, const Communicator& communicator) {
  const ImageShape shape = row_of_bytes(bytes.size());
  const MutableView view(bytes.data(), rect_of(shape.extent), rect_of(shape.extent), shape.format);
  const Schedule schedule =
      make_schedule({.kind = TransferKind::broadcast, .algorithm = algorithm, .grid = {ranks, 1}, .image = shape});
  run_schedule(schedule, {.whole = view}, communicator);
}

}  // namespace tilewright
